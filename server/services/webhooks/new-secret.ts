import { randomBytes } from 'node:crypto';

/** Returns a new secret that signs deliveries, as Standard Webhooks writes it: `whsec_` and 32 bytes in base64. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
