import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Pauses an issuance for about this many milliseconds. Tests pause less.
 * @throws when the process is stopping
 */
export type IssuePause = (ms: number) => Promise<void>;

/**
 * Returns real pauses, which end with an error as soon as the process stops: the order is continued later.
 */
export function pauseUntil(signal?: AbortSignal): IssuePause {
  return async (ms) => {
    await sleep(ms, undefined, { signal });
  };
}
