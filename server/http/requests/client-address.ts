import type { IncomingMessage } from 'node:http';
import { newId } from '../../ids.ts';
import { readForwardedAddress } from '../../limits/read-forwarded-address.ts';

/**
 * Returns the client's address; behind a trusted proxy, the one that the proxy saw (the last of
 * X-Forwarded-For), or the proxy's own when it says none that can be read.
 */
export function clientAddress(request: IncomingMessage, trustProxy: boolean): string {
  if (trustProxy) {
    const named = String(request.headers['x-forwarded-for'] ?? '');
    const forwarded = readForwardedAddress(named.slice(named.lastIndexOf(',') + 1).trim());
    if (forwarded !== null) return forwarded;
  }
  // A dual-stack listener shows an IPv4 client as an IPv6 address with this prefix.
  return (request.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
}

/** Returns the request's id: a trusted proxy's own, otherwise a new one. */
export function requestIdOf(request: IncomingMessage, trustProxy: boolean): string {
  const given = request.headers['x-request-id'];
  return trustProxy && typeof given === 'string' && /^[\w-]{8,64}$/.test(given) ? given : newId();
}
