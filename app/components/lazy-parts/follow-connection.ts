import { lookNow, watchForServer } from './server-watch.ts';

/**
 * Checks the server when the browser has lost its connection, and at once when it has one again or the page is seen; returns a function
 * that ends that.
 */
export function followConnection(): () => void {
  if (!navigator.onLine) watchForServer();
  window.addEventListener('offline', watchForServer);
  window.addEventListener('online', lookNow);
  document.addEventListener('visibilitychange', lookNow);
  return () => {
    window.removeEventListener('offline', watchForServer);
    window.removeEventListener('online', lookNow);
    document.removeEventListener('visibilitychange', lookNow);
  };
}
