import type { NotificationData } from '@mantine/notifications';
import { lazy, Suspense, useSyncExternalStore } from 'react';

/** The library is loaded with the first notification: no page waits for it. */
const loadLibrary = () => import('@mantine/notifications');
const NotificationList = lazy(async () => ({ default: (await loadLibrary()).Notifications }));

let isNeeded = false;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows a notification at the edge of the screen; returns a function that removes it. */
export function showNotification(notification: NotificationData): () => void {
  isNeeded = true;
  for (const listener of listeners) listener();
  const shown = loadLibrary().then(({ notifications }) => ({
    notifications,
    id: notifications.show(notification),
  }));
  return () => void shown.then(({ notifications, id }) => notifications.hide(id));
}

/** Where notifications appear; mounted once, at the root. */
export function NotificationHost() {
  const isShown = useSyncExternalStore(
    subscribe,
    () => isNeeded,
    () => false,
  );
  if (!isShown) return null;
  return (
    <Suspense fallback={null}>
      <NotificationList position="bottom-right" />
    </Suspense>
  );
}
