import { createHmac } from 'node:crypto';
import type { Sealer } from '#server/secrets/sealer.ts';

/**
 * Returns the key of an account in the embedded provider's rows: enough to find everything that one account
 * holds there, without revealing to a reader of the table who that is.
 */
export function identityAccountKey(sealer: Sealer, subject: string): string {
  return createHmac('sha256', sealer.deriveKey('identity-account')).update(subject).digest('base64url');
}
