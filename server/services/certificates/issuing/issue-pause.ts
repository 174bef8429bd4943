import { setTimeout as sleep } from 'node:timers/promises';

/** How an issuance waits for others: about so many milliseconds. Tests wait shorter. @throws when the process is stopping */
export type IssuePause = (ms: number) => Promise<void>;

/** Returns real pauses, which end with an error as soon as the process stops: an order is taken up again later. */
export function pauseUntil(signal?: AbortSignal): IssuePause {
  return async (ms) => {
    await sleep(ms, undefined, { signal });
  };
}
