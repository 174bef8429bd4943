import { randomInt } from 'node:crypto';
import { newToken } from '#server/ids.ts';
import { PUBLIC_KEY_LENGTH, PUBLIC_KEY_LETTERS, PUBLIC_KEY_PREFIX, SECRET_KEY_PREFIX } from './rules.ts';

const SECRET_BYTES = 32;

/** Returns the two keys of a new credential. */
export function newKeys(): { publicKey: string; secretKey: string } {
  return { publicKey: newPublicKey(), secretKey: `${SECRET_KEY_PREFIX}${newToken(SECRET_BYTES)}` };
}

/** Letters and digits only: a double click selects the whole key. */
function newPublicKey(): string {
  const letters = Array.from({ length: PUBLIC_KEY_LENGTH }, () =>
    PUBLIC_KEY_LETTERS.charAt(randomInt(PUBLIC_KEY_LETTERS.length)),
  );
  return PUBLIC_KEY_PREFIX + letters.join('');
}
