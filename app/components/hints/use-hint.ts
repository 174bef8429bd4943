import { type FocusEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';

/** A pointer that only passes over a control shows no hint. */
const HOVER_MS = 300;

interface HintProps {
  onMouseEnter(): void;
  onMouseLeave(): void;
  onFocus(event: FocusEvent): void;
  onBlur(): void;
}

/**
 * Returns whether a control's hint is shown, and the handlers that decide it: hover, touch and the keyboard's focus show it, Escape
 * hides it.
 */
export function useHint(): [isShown: boolean, HintProps] {
  const [isShown, setShown] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hide = useCallback(() => {
    clearTimeout(timer.current);
    setShown(false);
  }, []);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!isShown) return;
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') hide();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isShown, hide]);
  const props = useMemo(
    () => ({
      onMouseEnter: () => {
        clearTimeout(timer.current);
        timer.current = setTimeout(() => setShown(true), HOVER_MS);
      },
      onMouseLeave: hide,
      onFocus: ({ currentTarget }: FocusEvent) => {
        if (currentTarget.matches(':focus-visible')) setShown(true);
      },
      onBlur: hide,
    }),
    [hide],
  );
  return [isShown, props];
}
