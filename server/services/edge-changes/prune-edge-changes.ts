import type { RequestContext } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { removeInSlices } from '../shared/remove-in-slices.ts';

/** An edge that has been offline for longer reads everything again anyway. */
const KEPT_MS = DAY_MS;

/**
 * Deletes edge changes that every running edge has read long ago. The newest stays: it is where readers
 * begin.
 */
export async function pruneEdgeChanges(
  { app }: RequestContext,
  stopping?: AbortSignal,
): Promise<{ pruned: number }> {
  const before = app.clock.now() - KEPT_MS;
  const remove = (limit: number) =>
    app.db
      .deleteFrom('edge_changes')
      .where('sequence', 'in', ({ selectFrom }) =>
        selectFrom('edge_changes as old')
          .select('old.sequence')
          .where('old.at', '<', before)
          .where('old.sequence', '<', (eb) =>
            eb
              .selectFrom('edge_changes as newest')
              .select(({ fn }) => fn.max('newest.sequence').as('sequence')),
          )
          .limit(limit),
      )
      .executeTakeFirstOrThrow();
  return { pruned: await removeInSlices(remove, stopping) };
}
