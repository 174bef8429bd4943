import { useSyncExternalStore } from 'react';

/** A fact about this page, true or not, that its components follow. */
export interface PageFact {
  is(): boolean;
  set(isSo: boolean): void;
  /** `is`, for a component. */
  use(): boolean;
}

/** Returns a fact that is false at first. */
export function createPageFact(): PageFact {
  let known = false;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const is = () => known;
  return {
    is,
    set(isSo) {
      if (known === isSo) return;
      known = isSo;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, is, () => false),
  };
}
