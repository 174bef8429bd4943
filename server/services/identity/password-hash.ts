import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '#server/errors.ts';

/** Argon2id at the OWASP setting: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const TAG_BYTES = 32;
const AT_ONCE_MAX = 2;
const WAITING_MAX = 100;

// Counted per process, not per app: memory and cores belong to the process.
let running = 0;
const waiting: (() => void)[] = [];

/** Returns the argon2id hash of a password in the PHC string format. @throws too_many_requests when too many wait */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await derive(password, salt, { memory: MEMORY_KIB, passes: PASSES, parallelism: LANES });
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${encode(salt)}$${encode(tag)}`;
}

/**
 * Whether a password matches a stored hash. Without a hash (an unknown e-mail address) the answer is false after the same
 * work, so that the time tells nothing. @throws too_many_requests when too many wait
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored ?? '');
  const [, memory = MEMORY_KIB, passes = PASSES, parallelism = LANES, salt, tag] = parts ?? [];
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const actual = await derive(password, salt ? Buffer.from(salt, 'base64') : randomBytes(16), cost);
  const expected = tag ? Buffer.from(tag, 'base64') : randomBytes(TAG_BYTES);
  return parts !== null && actual.length === expected.length && timingSafeEqual(actual, expected);
}

interface Cost {
  memory: number;
  passes: number;
  parallelism: number;
}

/** Derives the tag, at most two at a time in the process; the rest wait their turn. */
async function derive(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  if (running >= AT_ONCE_MAX) {
    if (waiting.length >= WAITING_MAX) throw new AppError('too_many_requests', { seconds: 5 });
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running += 1;
  }
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      const parameters = { message: password.normalize('NFKC'), nonce: salt, tagLength: TAG_BYTES, ...cost };
      argon2('argon2id', parameters, (error, tag) => (error ? reject(error) : resolve(tag)));
    });
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
