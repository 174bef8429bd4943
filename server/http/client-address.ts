import type { IncomingMessage } from 'node:http';
import { newId } from '../ids.ts';

/**
 * Returns the client's address; behind a trusted proxy, the one that the proxy saw (the last of
 * X-Forwarded-For).
 */
export function clientAddress(request: IncomingMessage, trustProxy: boolean): string {
  if (trustProxy) {
    const forwarded = String(request.headers['x-forwarded-for'] ?? '')
      .split(',')
      .at(-1)
      ?.trim();
    if (forwarded) return forwarded;
  }
  // A dual-stack listener shows an IPv4 client as an IPv6 address with this prefix.
  return (request.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
}

/** Returns the request's id: a trusted proxy's own, otherwise a new one. */
export function requestIdOf(request: IncomingMessage, trustProxy: boolean): string {
  const given = request.headers['x-request-id'];
  return trustProxy && typeof given === 'string' && /^[\w-]{8,64}$/.test(given) ? given : newId();
}
