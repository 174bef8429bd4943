import type { RouterHistory } from '@tanstack/react-router';
import { focusPlace, isFocusLost } from './focus-place.ts';
import { createFocusTrail, headingIn } from './focus-trail.ts';

/** Long enough for a dialog to return the focus on its own. */
const SETTLE_MS = 60;

/**
 * Keeps the focus from falling back to the top of the page when the focused element disappears: a row that
 * was deleted, a button that a result replaces, a dialog, a whole page. It moves to where the work continues:
 * the next row, what opened the dialog, the part of the page that a link leads to, the heading of what replaced it; after Back, the
 * link that was followed. Returns a function that ends this.
 */
export function keepFocus(history: RouterHistory): () => void {
  const trail = createFocusTrail();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let followed: string | null = null;
  /** The id of the part of the page that was gone to. */
  let part = '';
  const look = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const link = followed === null ? null : findLink(followed);
      if (link && (isFocusLost() || document.activeElement?.tagName === 'H1')) {
        followed = null;
        link.focus();
      } else {
        const next = isFocusLost() ? (document.getElementById(part) ?? trail.next()) : lateHeading();
        if (next) focusPlace(next);
      }
    }, SETTLE_MS);
  };
  const onFocus = (event: FocusEvent) => {
    part = '';
    if (event.target instanceof HTMLElement) trail.note(event.target);
  };
  // A click next to everything gives up the focus on purpose.
  const onPointerDown = (event: PointerEvent) => {
    if (event.target instanceof Element && !event.target.closest(FOCUSABLE)) trail.clear();
  };
  document.addEventListener('focusin', onFocus);
  document.addEventListener('pointerdown', onPointerDown, true);
  if (!isFocusLost() && document.activeElement) trail.note(document.activeElement);
  const observer = new MutationObserver(look);
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['disabled'],
  });
  let here = window.location.pathname;
  const endHistory = history.subscribe(({ action, location }) => {
    const isBack = action.type === 'BACK' && location.pathname !== here;
    followed = isBack ? here : null;
    here = location.pathname;
    part = location.hash.replace('#', '');
  });
  return () => {
    clearTimeout(timer);
    document.removeEventListener('focusin', onFocus);
    document.removeEventListener('pointerdown', onPointerDown, true);
    observer.disconnect();
    endHistory();
  };
}

const FOCUSABLE = 'a[href], button, input, select, textarea, label, summary, [tabindex], [role="dialog"]';

/** Returns the heading that has appeared in the place where the focus waits. */
function lateHeading(): HTMLElement | null {
  const { activeElement: place } = document;
  return place instanceof HTMLElement && place.dataset.place !== undefined ? headingIn(place) : null;
}

/** Returns the link of the page that leads to a path. */
function findLink(pathname: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`main a[href="${CSS.escape(pathname)}"]`);
}
