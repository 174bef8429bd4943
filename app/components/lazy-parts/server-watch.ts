import { useEffect, useRef } from 'react';
import { askSoon } from '../../ask-soon.ts';
import { createPageFact } from '../../page-fact.ts';

/** The pauses before each check of an unreachable server; the last one repeats. */
const PAUSES_MS = [2000, 4000, 8000, 15_000, 30_000];
/** A failure this long after the last check starts with short pauses again. */
const FORGET_AFTER_MS = 60_000;

let looks = 0;
let lastLookAt = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<(wasAway: boolean) => void>();
const away = createPageFact(false);

/** Whether a check has found no server, and none has found it since. */
export const useServerAway = away.use;

/**
 * Checks the server after a request could not reach it, and notifies all listeners once it responds. Repeated
 * failures are checked less and less often.
 */
export function watchForServer(): void {
  if (typeof window === 'undefined' || timer !== undefined) return;
  if (Date.now() - lastLookAt > FORGET_AFTER_MS) looks = 0;
  const pause = PAUSES_MS[Math.min(looks, PAUSES_MS.length - 1)];
  looks += 1;
  timer = setTimeout(() => void look(), pause);
}

/** Checks a server that is watched for at once, instead of after the pause. */
export function lookNow(): void {
  if (timer === undefined) return;
  clearTimeout(timer);
  void look();
}

async function look(): Promise<void> {
  lastLookAt = Date.now();
  const wasAway = away.read();
  // A page that nobody sees waits.
  if (!document.hidden) away.set(!(await isAnswering()));
  timer = undefined;
  if (document.hidden || away.read()) watchForServer();
  else for (const listener of [...listeners]) listener(wasAway);
}

const isAnswering = () =>
  askSoon('/healthz').then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Calls the listener whenever a server that had failed responds again, with whether a check had not found it; returns a function that
 * ends that.
 */
export function onServerBack(listener: (wasAway: boolean) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Does something once the server responds again, as long as it is `isWanted`. */
export function useServerBack(isWanted: boolean, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (!isWanted) return undefined;
    return onServerBack(() => latest.current());
  }, [isWanted]);
}
