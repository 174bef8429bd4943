import type { KyselyPlugin, RootOperationNode } from 'kysely';
import type { Db } from '#db/client.ts';

/**
 * Returns a handle on the same database that refuses everything but reads. Edges have it: a visitor never waits for somebody's
 * lock, and whoever gives an edge something to write hears of it with the first attempt.
 */
export function readsOnly(db: Db): Db {
  return db.withPlugin(refuseWrites);
}

const refuseWrites: KyselyPlugin = {
  transformQuery({ node }) {
    if (!isRead(node)) throw new Error('This process only reads the database.');
    return node;
  },
  transformResult: async ({ result }) => result,
};

function isRead(node: RootOperationNode): boolean {
  if (node.kind === 'RawNode') return /^\s*select\b(?!\s*pg_)/i.test(node.sqlFragments[0] ?? '');
  // `for update` takes locks.
  return node.kind === 'SelectQueryNode' && !node.endModifiers?.length;
}
