import { randomBytes } from 'node:crypto';
import { monotonicFactory } from 'ulid';

const nextUlid = monotonicFactory();

/**
 * Returns a new identifier: a ULID in lower case (26 characters of a-z and 0-9), sortable by creation and safe as a
 * DNS label, which preview host names need.
 */
export function newId(now: number = Date.now()): string {
  return nextUlid(now).toLowerCase();
}

/** Returns `bytes` of randomness in base64url: for secrets, states and nonces. */
export function newToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}
