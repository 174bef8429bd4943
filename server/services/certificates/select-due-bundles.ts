import { sql } from 'kysely';
import type { Executor } from '#db/client.ts';

/**
 * Selects the bundles whose time in a column has come, each organization's first before any second: one with many, or slow, bundles
 * does not delay the others. Chance decides among equals, so that however many organizations somebody fills with slow work, the
 * others do not wait for all of them.
 * @param without organizations to leave out
 */
export function selectDueBundles(
  executor: Executor,
  column: 'next_check_at' | 'next_issue_at',
  now: number,
  without: readonly (string | null)[] = [],
) {
  const due = executor
    .selectFrom('certificate_bundles')
    .select(['id', 'organization_id', `${column} as due_at`])
    .select(({ fn }) =>
      fn
        .agg<number>('row_number')
        .over((over) => over.partitionBy('organization_id').orderBy(column))
        .as('turn'),
    )
    .where(column, '<=', now)
    .$if(without.length > 0, (query) =>
      query.where((eb) =>
        eb.or([eb('organization_id', 'is', null), eb('organization_id', 'not in', without)]),
      ),
    );
  return executor
    .selectFrom(due.as('due'))
    .select(['id', 'organization_id', 'due_at'])
    .orderBy('turn')
    .orderBy(sql`random()`);
}
