import type { NotificationData } from '@mantine/notifications';
import { Suspense, useSyncExternalStore } from 'react';
import { useUpdated } from '../../console-update.ts';
import { lazyPart } from '../lazy-parts/lazy-part.tsx';
import { type PlainNotification, PlainNotifications } from './plain-notifications.tsx';

/** The library is loaded with the first notification: no page waits for it. */
const loadLibrary = () => import('@mantine/notifications');
const NotificationList = lazyPart(async () => ({ default: (await loadLibrary()).Notifications }), {
  isQuiet: true,
});

interface Shown {
  isNeeded: boolean;
  /** Those that could not wait for the library: it cannot be loaded without the server. */
  plain: readonly PlainNotification[];
}

const NONE: Shown = { isNeeded: false, plain: [] };
let shown = NONE;
let nextPlainId = 1;
const listeners = new Set<() => void>();

function setShown(change: Partial<Shown>): void {
  shown = { ...shown, ...change };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows a notification at the edge of the screen; returns a function that removes it. */
export function showNotification(notification: NotificationData): () => void {
  setShown({ isNeeded: true });
  const hiding = loadLibrary().then(
    ({ notifications }) => {
      const id = notifications.show(notification);
      return () => void notifications.hide(id);
    },
    () => showPlainly(notification),
  );
  return () => void hiding.then((hide) => hide());
}

function showPlainly(notification: NotificationData): () => void {
  const { message, role, autoClose } = notification;
  const id = nextPlainId++;
  const hide = () => hidePlain(id);
  const others = shown.plain.filter((each) => each.message !== message);
  setShown({ plain: [...others, { id, message, role }] });
  if (typeof autoClose === 'number') setTimeout(hide, autoClose);
  return hide;
}

function hidePlain(id: number): void {
  setShown({ plain: shown.plain.filter((each) => each.id !== id) });
}

/** Where notifications appear; mounted once, at the root. */
export function NotificationHost() {
  const { isNeeded, plain } = useSyncExternalStore(
    subscribe,
    () => shown,
    () => NONE,
  );
  const isUpdated = useUpdated();
  return (
    <>
      {isNeeded && (
        <Suspense fallback={null}>
          <NotificationList position="bottom-right" />
        </Suspense>
      )}
      {(isNeeded || isUpdated) && (
        <PlainNotifications notifications={plain} isUpdated={isUpdated} onClose={hidePlain} />
      )}
    </>
  );
}
