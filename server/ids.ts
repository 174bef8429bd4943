import { randomBytes } from 'node:crypto';
import { monotonicFactory } from 'ulid';

const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);
let used = 0;

/**
 * Returns a random number from 0 to 1, exclusive. ulid's own source asks the kernel for each of its
 * characters.
 */
function pooledRandom(): number {
  if (used === pool.length) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  const byte = pool[used] ?? 0;
  used += 1;
  return byte / 256;
}

const nextUlid = monotonicFactory(pooledRandom);

/**
 * Returns a new identifier: a ULID in lower case (26 characters of a-z and 0-9), sortable by creation and
 * safe as a DNS label, which preview hostnames need.
 */
export function newId(now: number = Date.now()): string {
  return nextUlid(now).toLowerCase();
}

/** Returns `bytes` of randomness in base64url: for secrets, states and nonces. */
export function newToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}

const LABEL_LENGTH = 20;
const LABEL_LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

/** Returns a random DNS label of 20 letters and digits (100 bits), which cannot be guessed. */
export function newLabel(): string {
  return labelOf(randomBytes(LABEL_LENGTH));
}

/** Returns a DNS label made from the first bytes of a hash: as long as a random one, and always the same. */
export function labelOf(bytes: Uint8Array): string {
  const letters = Array.from(
    bytes.subarray(0, LABEL_LENGTH),
    (byte) => LABEL_LETTERS[byte % LABEL_LETTERS.length],
  );
  return letters.join('');
}
