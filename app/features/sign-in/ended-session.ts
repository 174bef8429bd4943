import { createPageFact } from '../../page-fact.ts';

const CHANNEL = 'portage signed in';

const ended = createPageFact(false);

/** Records that the session of this page is over, or that there is one again. */
export const setSessionEnded = ended.set;

/** Whether the person was asked to sign in again. */
export const isSessionEnded = ended.read;

/** The same, for a component. */
export const useSessionEnded = ended.use;

/** Tells the other windows of this browser that someone has signed in. */
export function announceSignIn(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(null);
  channel.close();
}

/**
 * Calls the listener when another window has signed in, or may have: when this one becomes visible again.
 * Returns a function that ends that.
 */
export function onSignIn(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', listener);
  window.addEventListener('focus', listener);
  return () => {
    channel.close();
    window.removeEventListener('focus', listener);
  };
}
