import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SeededRandom, seededRandom } from '#tests/support/seeded-random.ts';
import { childProcesses } from '#tests/support/server/child-processes.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';
import { sumsOfBucket } from '#tests/support/storage/bucket-sums.ts';
import { registerBucketOwner, type S3Keys } from '#tests/support/storage/s3-client.ts';
import { signedHeaders } from '#tests/support/storage/s3-signing.ts';

const CLIENTS = 32;
const KEYS_OF_CLIENT = 6;
/** Content up to 4 KiB lies in the database, and larger content in the store. */
const SIZES = [0, 1, 1_000, 4_096, 4_097, 30_000];
const WORK_MS = 700;

let server: TestServer;
let keys: S3Keys;
let bucketId: string;

beforeAll(async () => {
  server = await startTestServer({ BILLING_MODE: 'off', LOG_LEVEL: 'error', PROCESSES: 'auto' });
  const owner = await registerBucketOwner(server);
  ({ id: bucketId } = await owner.createBucket('journal'));
  keys = await owner.createKeys([bucketId]);
});
afterAll(() => server.close());

/** What is under a key: the number of the write and the size of its content, or null where there is none. */
type Held = { write: number; size: number } | null;
/** What each key may hold: what was last acknowledged, and what has not been answered since. */
type Journal = Map<string, Held[]>;

function contentOf(key: string, { write, size }: NonNullable<Held>): Buffer {
  return Buffer.alloc(size, `${key} ${write} `);
}

const agent = new Agent({ keepAlive: true });

/** Asks for an object; rejects when the connection breaks off. */
function ask(
  method: string,
  key: string,
  body: Buffer = Buffer.alloc(0),
): Promise<{ status: number; body: Buffer }> {
  const path = `/journal/${key}`;
  const [host, port] = ['127.0.0.1', server.s3Port];
  const headers = signedHeaders({ method, path, host: `${host}:${port}`, keys });
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host, port, method, path, headers }, async (response) => {
      try {
        const parts: Buffer[] = [];
        for await (const part of response) parts.push(part);
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts) });
      } catch (error) {
        reject(error);
      }
    });
    sent.once('error', reject);
    sent.setHeader('content-length', body.length);
    sent.end(body);
  });
}

const journal: Journal = new Map();
let writes = 0;

/** Writes, overwrites and deletes objects, one after the other, until it should stop or the service is gone. */
async function work(client: number, random: SeededRandom, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const key = `${client}-${random.below(KEYS_OF_CLIENT)}`;
    writes += 1;
    const wanted: Held =
      random.below(4) === 0 ? null : { write: writes, size: SIZES[random.below(SIZES.length)] ?? 0 };
    journal.set(key, [...(journal.get(key) ?? [null]), wanted]);
    const response = await (wanted === null
      ? ask('DELETE', key)
      : ask('PUT', key, contentOf(key, wanted))
    ).catch(() => null);
    if (response === null) return;
    expect(response.status).toBe(wanted === null ? 204 : 200);
    journal.set(key, [wanted]);
  }
}

/** Returns the keys that hold something else than they may, and sets the journal to what they hold. */
async function findDifferences(): Promise<string[]> {
  const wrong: string[] = [];
  for (const [key, possible] of journal) {
    const { status, body } = await ask('GET', key);
    const found = possible.find((held) =>
      held === null ? status === 404 : status === 200 && contentOf(key, held).equals(body),
    );
    if (found === undefined)
      wrong.push(`${key}: ${status}, ${body.length} bytes, not ${JSON.stringify(possible)}`);
    else journal.set(key, [found]);
  }
  return wrong;
}

/** Resolves when the service answers. */
const untilBack = () =>
  expect
    .poll(
      () =>
        ask('GET', 'none').then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 30_000 },
    )
    .toBe(404);

/** Ends the process of the S3 service, or every process, without a chance to finish anything. */
const CRASHES: Record<string, () => Promise<void>> = {
  async 'the S3 service'() {
    process.kill(childProcesses(server.processId()).get('s3') ?? 0, 'SIGKILL');
  },
  async 'the whole program'() {
    for (const id of childProcesses(server.processId()).values()) process.kill(id, 'SIGKILL');
    await server.kill();
    await server.start();
  },
};

it.each(Object.keys(CRASHES))(
  '%s, killed under small writes, keeps each that it acknowledged, whole',
  async (what) => {
    const random = seededRandom(7);
    let isOver = false;
    const clients = Array.from({ length: CLIENTS }, (_, client) => work(client, random, () => isOver));
    await new Promise((resolve) => setTimeout(resolve, WORK_MS));
    await CRASHES[what]?.();
    isOver = true;
    await Promise.all(clients);
    await untilBack();
    expect(await findDifferences()).toEqual([]);
    const { recorded, stored, pieces } = await sumsOfBucket(server, bucketId);
    expect(recorded).toEqual(stored);
    expect(pieces).toBe(stored.objects);
  },
);
