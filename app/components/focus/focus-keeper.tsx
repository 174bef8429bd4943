import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useSettings } from '../../use-settings.ts';
import { onServerBack, watchForServer } from '../lazy-parts/server-watch.ts';

/** Loaded once the page responds: before that, nothing a person does can lose the focus. */
const load = () => import('./keep-focus.ts');
/** Longer than focus takes to settle. */
const TITLE_MS = 60;

/** Keeps the focus where the work continues, and announces pages; mounted once, at the root. */
export function FocusKeeper() {
  const { history } = useRouter();
  useEffect(() => {
    let isOver = false;
    let end = () => {};
    const start = () =>
      load().then(
        ({ keepFocus }) => {
          end();
          if (!isOver) end = keepFocus(history);
        },
        () => {
          end = onServerBack(start);
          watchForServer();
        },
      );
    void start();
    return () => {
      isOver = true;
      end();
    };
  }, [history]);
  return <PageAnnouncer />;
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
      timer = setTimeout(() => setTitle(document.title.replace(` · ${productName}`, '')), TITLE_MS);
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
