type WordError = typeof import('./word-error.ts').wordError;

let wordError: WordError | null = null;
const listeners = new Set<() => void>();

/**
 * Loads the words of every error: they are longer than a page, and most pages need none. What brings an error waits for them
 * before it throws. Without them (the server has become unreachable) an error is still shown, in general words.
 */
export async function loadErrorWords(): Promise<void> {
  if (wordError) return;
  try {
    ({ wordError } = await import('./word-error.ts'));
  } catch {
    return;
  }
  for (const listener of listeners) listener();
}

/** Returns the function that words an error, or null while it is not loaded. */
export function getErrorWords(): WordError | null {
  return wordError;
}

/** Calls the listener when {@link getErrorWords} has changed; returns what ends that. */
export function onErrorWords(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
