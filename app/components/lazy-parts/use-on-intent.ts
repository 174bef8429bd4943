import { type ComponentType, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { usePartFailure } from './use-part-failure.ts';

interface OnIntent<Props> {
  /** The loaded component, once it was requested; it replaces the plain button. */
  Loaded: ComponentType<Props> | null;
  /** For the plain button: pointing at it or focusing it prefetches, a click opens. */
  intent: { onPointerEnter(): void; onFocus(): void; onClick(): void };
}

/** Keeps what a button opens out of the first page: it is loaded when someone reaches for the button. */
export function useOnIntent<Props = object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): OnIntent<Props> {
  const tellFailure = usePartFailure();
  const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null);
  const isWanted = useRef(false);
  const fetchIt = useCallback(() => void load().catch(() => undefined), [load]);
  const onClick = useCallback(async () => {
    // A second click before it is loaded cancels the first one, as it would close what is open.
    isWanted.current = !isWanted.current;
    try {
      const { default: component } = await load();
      if (isWanted.current) setLoaded(() => component);
    } catch {
      isWanted.current = false;
      tellFailure();
    }
  }, [load, tellFailure]);
  return { Loaded, intent: { onPointerEnter: fetchIt, onFocus: fetchIt, onClick: () => void onClick() } };
}

/**
 * For what {@link useOnIntent} loads: its button takes over the focus of the plain one, and only then does it
 * open, so that closing it returns the focus.
 */
export function useOpenOnArrival(open: () => void): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const hasArrived = useRef(false);
  useEffect(() => {
    if (hasArrived.current) return;
    hasArrived.current = true;
    button.current?.focus({ preventScroll: true });
    open();
  }, [open]);
  return button;
}
