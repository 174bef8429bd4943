import { useSyncExternalStore } from 'react';

const CHANNEL = 'portage signed in';

let hasEnded = false;
const listeners = new Set<() => void>();

/** Records that the session of this page is over, or that there is one again. */
export function setSessionEnded(isOver: boolean): void {
  if (hasEnded === isOver) return;
  hasEnded = isOver;
  for (const listener of listeners) listener();
}

/** Whether the person was asked to sign in again. */
export function isSessionEnded(): boolean {
  return hasEnded;
}

/** The same, for a component. */
export function useSessionEnded(): boolean {
  return useSyncExternalStore(subscribe, isSessionEnded, () => false);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

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
