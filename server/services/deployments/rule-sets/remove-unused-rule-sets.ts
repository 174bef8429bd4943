import { setImmediate as nextTurn } from 'node:timers/promises';
import type { App } from '#server/context.ts';
import { ABANDONED_AFTER_MS } from '../rules.ts';

/** Rule sets checked in one statement: a few milliseconds during which SQLite serves nothing else. */
const SETS_AT_ONCE = 500;

/**
 * Removes rules that no version uses and no seal has touched for a day, in portions so that other work runs
 * between them. Safe during seals: a seal touches its rule set in the same transaction. Safe to repeat and to
 * interrupt.
 */
export async function removeUnusedRuleSets(app: App, stopping?: AbortSignal): Promise<void> {
  const touchedBefore = app.clock.now() - ABANDONED_AFTER_MS;
  let after = '';
  while (!stopping?.aborted) {
    const sets = await app.db
      .selectFrom('rule_sets')
      .select('sha256')
      .where('sha256', '>', after)
      .orderBy('sha256')
      .limit(SETS_AT_ONCE)
      .execute();
    const last = sets.at(-1);
    if (!last) return;
    await app.db
      .deleteFrom('rule_sets')
      .where('sha256', '>', after)
      .where('sha256', '<=', last.sha256)
      .where('touched_at', '<', touchedBefore)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('site_versions')
              .select('site_versions.id')
              .whereRef('site_versions.rules_sha256', '=', 'rule_sets.sha256'),
          ),
        ),
      )
      .execute();
    if (sets.length < SETS_AT_ONCE) return;
    after = last.sha256;
    await nextTurn();
  }
}
