import { type RefObject, useEffect, useRef } from 'react';
import { focusPlace } from './focus-place.ts';

const LOOK_MS = 50;

/**
 * Returns a ref for what a form has made and the person has to deal with next, such as a key to copy: it is
 * scrolled into view and takes the focus once the dialog of the form has given it back.
 */
export function useArrival(): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' });
    const timer = setInterval(() => {
      if (document.activeElement?.closest('[role="dialog"]')) return;
      clearInterval(timer);
      if (place.current) focusPlace(place.current);
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return place;
}
