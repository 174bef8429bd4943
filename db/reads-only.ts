import type { KyselyPlugin, RootOperationNode } from 'kysely';
import type { Db } from '#db/client.ts';

/**
 * Returns a handle on the same database that rejects everything but reads. Edges use it: a visitor never
 * waits for a lock, and code that makes an edge write fails at the first attempt.
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
