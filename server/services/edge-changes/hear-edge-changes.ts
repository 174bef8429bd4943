import { listen } from '#db/listen.ts';
import type { App } from '#server/context.ts';
import { EDGE_CHANGES_CHANNEL } from './record-edge-changes.ts';

/**
 * Calls `onNews` when any process has committed changes, if the database sends notices: SQLite sends none.
 * Returns a function that ends it.
 */
export function hearEdgeChanges({ config }: Pick<App, 'config'>, onNews: () => void): () => Promise<void> {
  return listen(config.databaseUrl, EDGE_CHANGES_CHANNEL, onNews);
}
