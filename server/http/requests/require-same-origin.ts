import { AppError } from '../../errors.ts';
import type { HeaderReader } from './header-reader.ts';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a method changes nothing by itself. */
export function isSafeMethod(method: string): boolean {
  return SAFE_METHODS.has(method.toUpperCase());
}

/**
 * Requires that a request with a cookie's authority came from one of our own pages: `Sec-Fetch-Site:
 * same-origin` if the browser sends it, otherwise an `Origin` equal to PUBLIC_URL's. Safe methods are always
 * allowed.
 * @throws cross_site_request
 */
export function requireSameOrigin(method: string, headers: HeaderReader, publicUrl: string): void {
  if (isSafeMethod(method)) return;
  const site = headers.get('sec-fetch-site');
  // When present, the browser's header decides: an Origin next to it cannot make a foreign request ours.
  const isOurs = site === null ? headers.get('origin') === new URL(publicUrl).origin : site === 'same-origin';
  if (!isOurs) throw new AppError('cross_site_request');
}

/**
 * Requires that the body is declared as JSON, which no foreign form can send without a preflight.
 * @throws unsupported_media_type
 */
export function requireJson(headers: HeaderReader): void {
  const type = (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new AppError('unsupported_media_type', { expected: 'application/json' });
}
