import type { App } from '../context.ts';
import type { EdgeChange } from '../services/edge-changes/edge-changes.ts';
import { findNewestSequence, listEdgeChanges } from '../services/edge-changes/list-edge-changes.ts';
import { repeat } from './repeat.ts';

const POLL_EVERY_MS = 1000;

/**
 * Passes the changes that other processes commit to `forget`, in commit order and within about a second. It
 * begins with those committed after it has resolved; changes of this process arrive too, which is harmless.
 * While the database is unavailable it waits. Returns a function that stops it.
 */
export async function pollEdgeChanges(
  app: App,
  forget: (change: EdgeChange) => void,
  everyMs = POLL_EVERY_MS,
): Promise<() => Promise<void>> {
  let last = await findNewestSequence(app);
  const poll = async () => {
    for (;;) {
      const { changes, isLast } = await listEdgeChanges(app, last);
      for (const { sequence, ...change } of changes) {
        last = sequence;
        forget(change);
      }
      if (isLast) return;
    }
  };
  const warn = (error: unknown) => app.logger.warn({ err: error }, 'edge changes cannot be read');
  const polling = repeat(everyMs, poll, warn);
  return () => polling.stop();
}
