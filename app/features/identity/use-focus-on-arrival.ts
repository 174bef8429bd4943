import { type RefObject, useEffect, useRef } from 'react';

/**
 * Returns the ref of the field that gets the focus when a form appears, unless the person is already typing
 * elsewhere.
 */
export function useFocusOnArrival<T extends HTMLElement>(): RefObject<T | null> {
  const ref = useRef<T>(null);
  useEffect(() => {
    if (!(document.activeElement instanceof HTMLInputElement)) ref.current?.focus();
  }, []);
  return ref;
}
