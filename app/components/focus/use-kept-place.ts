import { type RefObject, useEffect, useRef } from 'react';
import { focusPlace, isFocusLost } from './focus-place.ts';

/**
 * Keeps the place of a person who presses a button that removes itself, or that is disabled while it works:
 * the focus returns to it, or moves to its container. Returns the button's reference, and a function to call
 * when it is pressed.
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

/** Returns the ancestors of an element, the nearest first. */
function ancestorsOf(element: HTMLElement | null): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let at = element?.parentElement; at && at !== document.body; at = at.parentElement) found.push(at);
  return found;
}
