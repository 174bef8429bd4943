import { askSoon } from './ask-soon.ts';
import { createPageFact } from './page-fact.ts';

const updated = createPageFact(false);

/**
 * Returns whether the installation has other pages by now than this one: what failed may need what only they have. It asks the
 * server, and is to be called when something failed that should not have.
 */
export async function lookForUpdate(): Promise<boolean> {
  // A page that the server renders is of its own build.
  if (typeof document === 'undefined') return false;
  const { build } = document.documentElement.dataset;
  if (wasUpdated() || !build) return wasUpdated();
  try {
    const response = await askSoon('/assets/current-build');
    updated.set(response.ok && (await response.text()) !== build);
  } catch {
    // The server is unreachable.
  }
  return wasUpdated();
}

/** Whether an update was found. */
export const wasUpdated = updated.read;

/** The same, for a component. */
export const useUpdated = updated.use;
