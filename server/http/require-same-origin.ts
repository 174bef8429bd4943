import { AppError } from '../errors.ts';
import type { HeaderReader } from './header-reader.ts';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a method changes nothing by itself. */
export function isSafeMethod(method: string): boolean {
  return SAFE_METHODS.has(method.toUpperCase());
}

/**
 * Goes on when a request that carries a cookie's authority came from a page of our own: `Sec-Fetch-Site: same-origin`
 * where the browser says it, else an `Origin` equal to PUBLIC_URL's. Safe methods always go on.
 * @throws cross_site_request
 */
export function requireSameOrigin(method: string, headers: HeaderReader, publicUrl: string): void {
  if (isSafeMethod(method)) return;
  const site = headers.get('sec-fetch-site');
  // Present, the browser's own word is the answer: an Origin beside it cannot make a foreign request ours.
  const isOurs = site === null ? headers.get('origin') === new URL(publicUrl).origin : site === 'same-origin';
  if (!isOurs) throw new AppError('cross_site_request');
}

/**
 * Goes on when the body is declared as JSON, which no foreign form can send without asking first.
 * @throws unsupported_media_type
 */
export function requireJson(headers: HeaderReader): void {
  const type = (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new AppError('unsupported_media_type', { expected: 'application/json' });
}
