import { randomBytes } from 'node:crypto';

/** Returns a new signing secret in the form of Standard Webhooks: `whsec_` and 32 bytes in base64. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
