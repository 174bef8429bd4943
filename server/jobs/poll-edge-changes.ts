import type { App } from '../context.ts';
import { logOutage } from '../logging/log-outage.ts';
import { isOutage } from '../outage.ts';
import type { EdgeChange } from '../services/edge-changes/edge-changes.ts';
import { hearEdgeChanges } from '../services/edge-changes/hear-edge-changes.ts';
import { findNewestSequence, listEdgeChanges } from '../services/edge-changes/list-edge-changes.ts';
import { repeat } from './repeat.ts';

const POLL_EVERY_MS = 1000;

/** How an edge follows the log of changes. */
export interface ChangeFollowing {
  /** Returns the sequence after which it begins. */
  begin(): Promise<number>;
  /** Called with the sequence of the last change that was passed on. */
  followed(sequence: number): void;
  /** Whether it may begin later than it was called, when the database answers. */
  isPatient: boolean;
}

/** Begins with what is committed from now on. */
const fromNow = (app: App): ChangeFollowing => ({
  begin: () => findNewestSequence(app),
  followed: () => undefined,
  isPatient: false,
});

/**
 * Passes the changes that other processes commit to `forget`, in commit order and within about a second; on PostgreSQL, which
 * announces them, usually at once. It begins with those committed after it has resolved; changes of this process arrive too, which is harmless.
 * While the database is unavailable it waits. Returns a function that stops it.
 */
export async function pollEdgeChanges(
  app: App,
  forget: (change: EdgeChange) => void,
  everyMs = POLL_EVERY_MS,
  following: ChangeFollowing = fromNow(app),
): Promise<() => Promise<void>> {
  let last = await following.begin().catch((error: unknown) => {
    if (!following.isPatient || !isOutage(error)) throw error;
    return null;
  });
  const poll = async () => {
    last ??= await following.begin();
    for (;;) {
      const { changes, isLast } = await listEdgeChanges(app, last);
      for (const { sequence, ...change } of changes) {
        last = sequence;
        forget(change);
      }
      if (changes.length > 0) following.followed(last);
      if (isLast) return;
    }
  };
  const warn = (error: unknown) =>
    logOutage(app.logger, 'warn', { err: error }, 'edge changes cannot be read');
  const polling = repeat(everyMs, poll, warn);
  const stopListening = hearEdgeChanges(app, () => polling.hurry());
  return async () => {
    await stopListening();
    await polling.stop();
  };
}
