import { useSyncExternalStore } from 'react';

let isUpdated = false;
const listeners = new Set<() => void>();

/**
 * Returns whether the installation has other pages by now than this one: what failed may need what only they have. It asks the
 * server, and is to be called when something failed that should not have.
 */
export async function lookForUpdate(): Promise<boolean> {
  // A page that the server renders is of its own build.
  if (typeof document === 'undefined') return false;
  const { build } = document.documentElement.dataset;
  if (isUpdated || !build) return isUpdated;
  try {
    const answer = await fetch('/assets/current-build', { cache: 'no-store' });
    isUpdated = answer.ok && (await answer.text()) !== build;
  } catch {
    // The server is away.
  }
  if (isUpdated) for (const listener of listeners) listener();
  return isUpdated;
}

/** Whether an update was found. */
export function wasUpdated(): boolean {
  return isUpdated;
}

/** The same, for a component. */
export function useUpdated(): boolean {
  return useSyncExternalStore(subscribe, wasUpdated, () => false);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
