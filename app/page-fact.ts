import { useSyncExternalStore } from 'react';

/** A fact about this page that its components follow. */
export interface PageFact<T> {
  read(): T;
  set(fact: T): void;
  /** `read`, for a component. */
  use(): T;
}

/** Returns a fact that is known as `first` until it is set, and always on the server. */
export function createPageFact<T>(first: T): PageFact<T> {
  let known = first;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const read = () => known;
  return {
    read,
    set(fact) {
      if (known === fact) return;
      known = fact;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, read, () => first),
  };
}
