import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useSettings } from '../use-settings.ts';
import { focusPlace, isFocusLost } from './focus-place.ts';
import { createFocusTrail, headingIn } from './focus-trail.ts';

/** Long enough for a dialog to return the focus on its own. */
const SETTLE_MS = 60;

/**
 * Keeps the focus from falling back to the top of the page when the focused element disappears: a row that
 * was deleted, a button that a result replaces, a dialog, a whole page. It moves to where the work continues:
 * the next row, what opened the dialog, the heading of what replaced it; after Back, the link that was
 * followed. Mounted once, at the root, with the region in which a new page is announced.
 */
export function FocusKeeper() {
  const router = useRouter();
  useEffect(() => {
    const trail = createFocusTrail();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let followed: string | null = null;
    const look = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const link = followed === null ? null : findLink(followed);
        if (link && (isFocusLost() || document.activeElement?.tagName === 'H1')) {
          followed = null;
          link.focus();
        } else {
          const next = isFocusLost() ? trail.next() : lateHeading();
          if (next) focusPlace(next);
        }
      }, SETTLE_MS);
    };
    const onFocus = (event: FocusEvent) => {
      if (event.target instanceof HTMLElement) trail.note(event.target);
    };
    // A click next to everything gives up the focus on purpose.
    const onPointerDown = (event: PointerEvent) => {
      if (event.target instanceof Element && !event.target.closest(FOCUSABLE)) trail.clear();
    };
    document.addEventListener('focusin', onFocus);
    document.addEventListener('pointerdown', onPointerDown, true);
    const observer = new MutationObserver(look);
    observer.observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ['disabled'],
    });
    let here = window.location.pathname;
    const endHistory = router.history.subscribe(({ action, location }) => {
      const isBack = action.type === 'BACK' && location.pathname !== here;
      followed = isBack ? here : null;
      here = location.pathname;
    });
    return () => {
      clearTimeout(timer);
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('pointerdown', onPointerDown, true);
      observer.disconnect();
      endHistory();
    };
  }, [router]);
  return <PageAnnouncer />;
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

/** Announces the title of a page that was reached without loading a new document. */
function PageAnnouncer() {
  const router = useRouter();
  const { productName } = useSettings();
  const [title, setTitle] = useState('');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = router.subscribe('onResolved', ({ pathChanged }) => {
      if (!pathChanged) return;
      clearTimeout(timer);
      // The title is written with the page.
      timer = setTimeout(() => setTitle(document.title.replace(` · ${productName}`, '')), SETTLE_MS);
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [router, productName]);
  return (
    <div className="visually-hidden" aria-live="polite" data-page-announcer>
      {title}
    </div>
  );
}
