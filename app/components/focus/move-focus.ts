import type { KeyboardEvent } from 'react';

/** Marks what the arrow keys reach inside an element with {@link moveFocus}. */
export const FOCUS_STOP = { 'data-focus-stop': true } as const;

/** Lets the arrow keys, Home and End move the focus through a popover, wrapping around. */
export function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-focus-stop]')];
  const current = stops.findIndex((stop) => stop.contains(document.activeElement));
  const next = nextStop(event.key, current, stops.length, event.target instanceof HTMLInputElement);
  if (next === null) return;
  event.preventDefault();
  stops[next]?.focus();
}

/** In a text field, Home and End belong to the text. */
function nextStop(key: string, current: number, count: number, isTyping: boolean): number | null {
  switch (key) {
    case 'ArrowDown':
      return (current + 1) % count;
    case 'ArrowUp':
      return (Math.max(current, 0) - 1 + count) % count;
    case 'Home':
      return isTyping ? null : 0;
    case 'End':
      return isTyping ? null : count - 1;
    default:
      return null;
  }
}
