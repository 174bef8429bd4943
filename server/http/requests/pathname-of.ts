import type { IncomingMessage } from 'node:http';

/** Returns the path of a request as it was sent, without its query. */
export function pathnameOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  return url.split(/[?#]/, 1)[0] ?? '/';
}
