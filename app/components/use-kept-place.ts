import { type RefObject, useEffect, useRef } from 'react';
import { focusPlace, isFocusLost } from './focus-place.ts';

/**
 * Keeps the place of somebody who presses a button that takes itself away, or that cannot be pressed while it works: the
 * focus comes back to it, or goes to what it stood in. Returns the button's reference, and what to call when it is pressed.
 */
export function useKeptPlace(isWorking: boolean): {
  button: RefObject<HTMLButtonElement | null>;
  keepPlace: () => void;
} {
  const button = useRef<HTMLButtonElement>(null);
  const around = useRef<HTMLElement[]>([]);
  useEffect(() => {
    if (!isWorking && around.current.length > 0 && isFocusLost()) button.current?.focus();
  }, [isWorking]);
  useEffect(
    () => () => {
      const place = around.current.find((element) => element.isConnected);
      if (place && isFocusLost()) focusPlace(place);
    },
    [],
  );
  const keepPlace = () => {
    around.current = ancestorsOf(button.current);
  };
  return { button, keepPlace };
}

/** Returns what is around an element, the nearest first. */
function ancestorsOf(element: HTMLElement | null): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let at = element?.parentElement; at && at !== document.body; at = at.parentElement) found.push(at);
  return found;
}
