import { useEffect, useRef } from 'react';

/** Does once what the address asks for, such as the question before a deletion that the command palette leads to. */
export function useAskedInAddress(isAsked: boolean, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (isAsked) latest.current();
  }, [isAsked]);
}
