import { useEffect, useRef } from 'react';

/** What a person fills in or chooses; of a group of choices, the one that is chosen. */
const FIELD = 'input:enabled, select:enabled, textarea:enabled, [role="radio"][aria-checked="true"]';

/**
 * Puts the focus on the first field beside it, or on the one that is marked: for what appears after its dialog has chosen what to
 * focus, because it was loaded. Where the person has gone on to a field already, the focus stays.
 */
export function StartAtFirstField() {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const around = place.current?.parentElement;
    if (!around) return;
    const field =
      around.querySelector<HTMLElement>('[data-autofocus]') ?? around.querySelector<HTMLElement>(FIELD);
    if (!field || around.contains(document.activeElement)) return;
    // The dialog may choose only now.
    field.dataset.autofocus = 'true';
    field.focus();
  }, []);
  return <span ref={place} hidden />;
}
