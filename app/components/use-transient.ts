import { useCallback, useEffect, useRef, useState } from 'react';

/**
 * Returns a flag and a function that raises it: it is lowered automatically `durationMs` after the last time
 * it was raised.
 */
export function useTransient(durationMs: number): [isRaised: boolean, raise: () => void, lower: () => void] {
  const [isRaised, setRaised] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const lower = useCallback(() => {
    clearTimeout(timer.current);
    setRaised(false);
  }, []);
  const raise = useCallback(() => {
    clearTimeout(timer.current);
    setRaised(true);
    timer.current = setTimeout(() => setRaised(false), durationMs);
  }, [durationMs]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return [isRaised, raise, lower];
}
