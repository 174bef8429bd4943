import { useDisclosure } from '@mantine/hooks';
import { type RefObject, useEffect, useRef } from 'react';

interface Drawer {
  isOpen: boolean;
  toggle: () => void;
  close: () => void;
  /** What opens it, to which Escape returns. */
  button: RefObject<HTMLButtonElement | null>;
}

/** From this width on, the navigation is shown beside the page: Mantine's breakpoint "sm". */
const BESIDE = '(min-width: 48em)';

/** The navigation of a phone: Escape shuts it, and so does a screen that has become wide enough for both. */
export function useDrawer(): Drawer {
  const [isOpen, { toggle, close }] = useDisclosure();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const wide = window.matchMedia(BESIDE);
    const onKey = (event: KeyboardEvent) => {
      // One Escape shuts one thing: a menu above it comes first.
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      if (document.querySelector('[role="dialog"], [role="menu"]')) return;
      close();
      button.current?.focus();
    };
    wide.addEventListener('change', close);
    document.addEventListener('keydown', onKey);
    return () => {
      wide.removeEventListener('change', close);
      document.removeEventListener('keydown', onKey);
    };
  }, [isOpen, close]);
  return { isOpen, toggle, close, button };
}
