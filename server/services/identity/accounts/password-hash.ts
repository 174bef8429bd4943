import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { FairQueue } from '#server/concurrency/fair-queue.ts';

/** Argon2id at the OWASP setting: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const TAG_BYTES = 32;

// One for the process, not for each app: memory and cores belong to the process. Two at a time leave threads
// for files.
const queue = new FairQueue({ atOnceMax: 2, waitingMax: 100 });

/**
 * Whose turn a client's is: of the key of an IPv6 address (rate-limits.ts), its /48. Anybody gets one with a
 * tunnel, and could otherwise fill all places with clients that wait for one password each.
 */
function turnOf(asker: string): string {
  return asker.replace(/:[^:]+::\/64$/, '::/48');
}

/**
 * Returns the argon2id hash of a password in the PHC string format. Clients, identified by the keys of their
 * addresses, take turns.
 * @throws too_many_requests when too many wait
 */
export async function hashPassword(password: string, asker: string): Promise<string> {
  const salt = randomBytes(16);
  const cost = { memory: MEMORY_KIB, passes: PASSES, parallelism: LANES };
  const tag = await queue.run(turnOf(asker), () => derive(password, salt, cost));
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${encode(salt)}$${encode(tag)}`;
}

/**
 * Whether a password matches a stored hash. Without a hash (an unknown email address) the response is false
 * after the same work, so that timing reveals nothing. Clients, identified by the keys of their addresses,
 * take turns, and so do accounts in browsers that know them: those wait for no stranger.
 * @param known the account that the browser knows
 * @throws too_many_requests when too many wait
 */
export async function verifyPassword(
  password: string,
  stored: string | null,
  asker: string,
  known: string | null = null,
): Promise<boolean> {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored ?? '');
  const [, memory = MEMORY_KIB, passes = PASSES, parallelism = LANES, salt, tag] = parts ?? [];
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const nonce = salt ? Buffer.from(salt, 'base64') : randomBytes(16);
  const isKnown = known !== null;
  const turn = known ?? turnOf(asker);
  const actual = await queue.run(turn, () => derive(password, nonce, cost), { isKnown });
  const expected = tag ? Buffer.from(tag, 'base64') : randomBytes(TAG_BYTES);
  return parts !== null && actual.length === expected.length && timingSafeEqual(actual, expected);
}

interface Cost {
  memory: number;
  passes: number;
  parallelism: number;
}

function derive(password: string, nonce: Buffer, cost: Cost): Promise<Buffer> {
  const parameters = { message: password.normalize('NFKC'), nonce, tagLength: TAG_BYTES, ...cost };
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, tag) => (error ? reject(error) : resolve(tag)));
  });
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replace(/(?<!=)=+$/, '');
}
