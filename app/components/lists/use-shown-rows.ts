import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/**
 * How many rows of a list that is loaded as a whole are rendered: more whenever its end is near, from the beginning again after
 * `reset`, and all of them in print, which cannot scroll.
 */
export function useShownRows(pageSize: number): {
  shownMax: number;
  showMore: () => void;
  reset: () => void;
} {
  const [shownMax, setShownMax] = useState(pageSize);
  useEffect(() => {
    const drawAll = () => flushSync(() => setShownMax(Number.POSITIVE_INFINITY));
    window.addEventListener('beforeprint', drawAll);
    return () => window.removeEventListener('beforeprint', drawAll);
  }, []);
  return {
    shownMax,
    showMore: () => setShownMax(shownMax + pageSize),
    reset: () => setShownMax(pageSize),
  };
}
