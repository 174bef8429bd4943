import type { RequestContext } from '#server/context.ts';

/** An edge that has been away for longer looks everything up again anyway. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Forgets edge changes that every running edge has read long ago. The newest stays: it is where readers begin. */
export async function pruneEdgeChanges({ app }: RequestContext): Promise<{ pruned: number }> {
  const result = await app.db
    .deleteFrom('edge_changes')
    .where('at', '<', app.clock.now() - KEPT_MS)
    .where('sequence', '<', ({ selectFrom }) =>
      selectFrom('edge_changes as newest').select(({ fn }) => fn.max('newest.sequence').as('sequence')),
    )
    .executeTakeFirst();
  return { pruned: Number(result.numDeletedRows) };
}
