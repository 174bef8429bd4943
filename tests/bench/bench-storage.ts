import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openDatabase } from '#db/client.ts';
import { freePort } from '#tests/support/free-port.ts';
import { childProcesses } from '#tests/support/server/child-processes.ts';
import { endProcess } from '#tests/support/server/end-process.ts';
import { startServer, type TestServer } from '#tests/support/server/test-server.ts';
import { registerBucketOwner } from '#tests/support/storage/s3-client.ts';
import { type BenchResult, median, percentile } from './bench-result.ts';
import { addressOf, ask, load, type S3Target } from './s3-load.ts';
import { startS3Peer } from './s3-peer.ts';

const MIB = 1024 ** 2;
const KEYS = 1_000_000;
const SMALL = randomBytes(1_024);
/** Above what lies in the database. */
const FILED = randomBytes(16 * 1_024);
const LARGE = randomBytes(8 * MIB);
const HUGE_MIB = 1_024;
const LISTS = 40;
const PUTS_BEFORE = 500;
const SYNC_ROUNDS = 5;
const SYNCS_OF_ROUND = 50;
const BARE_SERVER = 'Node’s HTTP server and one synced row';
const MANY = 64;
const PUTS_AT_ONCE = 4_000;
/** What the database logs of one object: three pages with their heads. */
const LOGGED = randomBytes(3 * (4_096 + 24));

/**
 * The S3 service compared with another one: small and large objects, one of 1 GiB, and lists of a million
 * keys.
 */
export async function benchStorage(): Promise<BenchResult[]> {
  const server = await startServer({
    PROCESSES: 'auto',
    LOG_LEVEL: 'warn',
    BILLING_MODE: 'off',
    API_REQUESTS_PER_MINUTE: '1000000000',
  });
  const peer = await startS3Peer();
  try {
    const owner = await registerBucketOwner(server);
    const buckets = [await owner.createBucket('bench'), await owner.createBucket('million')];
    const keys = await owner.createKeys(buckets.map(({ id }) => id));
    const target = { port: server.s3Port, bucket: 'bench', keys };
    const beside = peer && { name: peer.name, target: peer.target };
    return [
      ...(await benchObjects(target, beside)),
      ...(await benchSync(server, target)),
      ...(await benchHuge(server, target)),
      ...(await benchLists(server, { ...target, bucket: 'million' }, buckets[1]?.id ?? '')),
    ];
  } finally {
    await peer?.close();
    await server.close();
  }
}

interface Beside {
  name: string;
  target: S3Target;
}

/** Writes and reads of many connections. */
async function benchObjects(target: S3Target, beside: Beside | null): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const { size, body, count, connections } of [
    { size: '1 KiB', body: SMALL, count: 4_000, connections: 16 },
    { size: '1 KiB', body: SMALL, count: 4_000, connections: 64 },
    { size: '8 MiB', body: LARGE, count: 60, connections: 4 },
  ]) {
    for (const method of ['PUT', 'GET'] as const) {
      const measure = (of: S3Target) =>
        load(of, {
          connections,
          count,
          request: (index) => ({
            method,
            path: addressOf(of, method, `/${size.replace(' ', '')}/${index}`),
            ...(method === 'PUT' && { body }),
          }),
        });
      // The first requests of a process compile its code.
      if (results.length === 0) await Promise.all([measure(target), beside && measure(beside.target)]);
      const own = await measure(target);
      const other = beside === null ? null : await measure(beside.target);
      const name = `${method} of ${size}, ${connections} connections`;
      results.push({
        name,
        value: own.perSecond,
        unit: 'requests/s',
        ...(beside &&
          other && {
            peer: `${beside.name}, which syncs nothing`,
            peerValue: other.perSecond,
            ratio: own.perSecond / other.perSecond,
          }),
      });
      results.push({ name: `${name}, p95`, value: percentile(own.latencies, 0.95), unit: 'ms' });
    }
  }
  return results;
}

/**
 * Small objects one after another, compared with what they wait for on the disk: of the smallest, the log of the database, in which they
 * lie themselves; of others a file and its folder, synced side by side, and then the log, which must not name content that a power cut could
 * take. In short rounds of each, since a disk is not equally fast all the time.
 */
async function benchSync(server: TestServer, target: S3Target): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(server.dataDir, 'sync-'));
  const log = await open(join(folder, 'log'), 'a');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const bareAgent = new Agent({ keepAlive: true, maxSockets: 1 });
  const bare = await startBarePut(folder);
  const times = { tiny: [], small: [], bare: [], inTurn: [], log: [], all: [] } as Record<string, number[]>;
  // Signed beforehand: that is the client's work.
  const putting = (name: string, body: Buffer) => {
    const sent = { method: 'PUT', path: addressOf(target, 'PUT', `/one/${name}`), body };
    return () => ask(target, agent, sent);
  };
  const syncLog = async () => {
    await log.write(LOGGED);
    await log.datasync();
  };
  // The log of a new database grows for a while, which costs more than writing over it.
  for (let index = 0; index < PUTS_BEFORE; index += 1) await putting(`before-${index}`, SMALL)();
  for (let index = 0; index < PUTS_BEFORE; index += 1)
    await ask(bare, bareAgent, { method: 'PUT', path: `/before-${index}`, body: SMALL });
  for (let round = 0; round < SYNC_ROUNDS; round += 1) {
    for (const [name, prepare] of [
      ['tiny', (key: string) => putting(key, SMALL)],
      ['small', (key: string) => putting(key, FILED)],
      ['bare', (key: string) => () => ask(bare, bareAgent, { method: 'PUT', path: `/${key}`, body: SMALL })],
      ['inTurn', (key: string) => () => writeSynced(folder, key, syncInTurn)],
      ['log', () => syncLog],
      ['all', (key: string) => () => writeSynced(folder, key, syncTogether).then(syncLog)],
    ] as const) {
      for (let index = 0; index < SYNCS_OF_ROUND; index += 1) {
        times[name]?.push(await timeOf(prepare(`${round}-${name}-${index}`)));
      }
    }
  }
  const perSecond = await putAtOnce(target, bare);
  for (const each of [agent, bareAgent]) each.destroy();
  await bare.close();
  await log.close();
  await rm(folder, { recursive: true });
  const result = (name: string, of: string, peer: string, beside: string): BenchResult => {
    const [value, peerValue] = [median(times[of] ?? []), median(times[beside] ?? [])];
    return { name, value, unit: 'ms', peer, peerValue, ratio: value / peerValue };
  };
  return [
    result('PUT of 1 KiB, one connection, median', 'tiny', 'a file and its folder synced', 'inTurn'),
    result('the same, compared with the sync that it needs', 'tiny', 'the log of the database', 'log'),
    result('the same, compared with a bare server', 'tiny', BARE_SERVER, 'bare'),
    {
      name: `PUT of 1 KiB, ${MANY} connections, compared with the bare server`,
      value: perSecond.own,
      unit: 'requests/s',
      peer: BARE_SERVER,
      peerValue: perSecond.bare,
      ratio: perSecond.own / perSecond.bare,
    },
    result('PUT of 16 KiB, one connection, median', 'small', 'file, folder and log', 'all'),
  ];
}

/** Puts per second of many clients at once: those that wait together share a sync to the disk here, and each has its own in the bare server. */
async function putAtOnce(target: S3Target, bare: { port: number }): Promise<{ own: number; bare: number }> {
  const putting = (path: (index: number) => string) => ({
    connections: MANY,
    count: PUTS_AT_ONCE,
    request: (index: number) => ({ method: 'PUT', path: path(index), body: SMALL }),
  });
  const own = await load(
    target,
    putting((index) => addressOf(target, 'PUT', `/at-once/${index}`)),
  );
  const other = await load(
    bare,
    putting((index) => `/at-once-${index}`),
  );
  return { own: own.perSecond, bare: other.perSecond };
}

async function startBarePut(folder: string): Promise<{ port: number; close(): Promise<unknown> }> {
  const port = await freePort();
  const script = join(import.meta.dirname, 'bare-put-server.ts');
  const child = spawn(process.execPath, [script, String(port), join(folder, 'bare.sqlite')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  await once(child.stdout, 'data');
  return { port, close: () => endProcess(child, 'SIGTERM') };
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function writeSynced(
  folder: string,
  name: string,
  sync: (file: FileHandle, parent: FileHandle) => Promise<unknown>,
): Promise<void> {
  const file = await open(join(folder, name), 'wx');
  await file.writeFile(SMALL);
  const parent = await open(folder);
  await sync(file, parent);
  await parent.close();
  await file.close();
}

async function syncInTurn(file: FileHandle, parent: FileHandle): Promise<void> {
  await file.sync();
  await parent.sync();
}

function syncTogether(file: FileHandle, parent: FileHandle): Promise<unknown> {
  return Promise.all([file.sync(), parent.sync()]);
}

/** Memory of the process while 1 GiB is uploaded and downloaded. */
async function benchHuge(server: TestServer, target: S3Target): Promise<BenchResult[]> {
  const processId = childProcesses(server.processId()).get('s3') ?? server.processId();
  const before = residentMib(processId);
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, residentMib(processId));
  }, 50);
  const putAt = performance.now();
  await putHuge(target);
  const gotAt = performance.now();
  const agent = new Agent({ keepAlive: true });
  const bytes = await ask(target, agent, { method: 'GET', path: addressOf(target, 'GET', '/huge') });
  const endedAt = performance.now();
  agent.destroy();
  clearInterval(watch);
  if (bytes !== HUGE_MIB * MIB) throw new Error(`read ${bytes} bytes`);
  return [
    { name: 'PUT of 1 GiB', value: HUGE_MIB / ((gotAt - putAt) / 1_000), unit: 'MiB/s' },
    { name: 'GET of 1 GiB', value: HUGE_MIB / ((endedAt - gotAt) / 1_000), unit: 'MiB/s' },
    { name: 'memory of the S3 process meanwhile, above what it had', value: most - before, unit: 'MiB' },
  ];
}

function putHuge(target: S3Target): Promise<void> {
  const path = addressOf(target, 'PUT', '/huge');
  const headers = { 'content-length': String(HUGE_MIB * MIB) };
  const block = randomBytes(MIB);
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: target.port, path, method: 'PUT', headers },
      (response) => {
        response.resume();
        response.on('end', () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`)),
        );
      },
    );
    sent.on('error', reject);
    let count = 0;
    const write = () => {
      while (count < HUGE_MIB) {
        count += 1;
        if (!sent.write(block)) return sent.once('drain', write);
      }
      return sent.end();
    };
    write();
  });
}

function residentMib(processId: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))?.[1]) / 1_024;
}

/** Pages of a bucket with a million keys in a thousand folders. */
async function benchLists(server: TestServer, target: S3Target, bucketId: string): Promise<BenchResult[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await ask(target, agent, { method: 'PUT', path: addressOf(target, 'PUT', '/template'), body: SMALL });
  await fillBucket(server, bucketId);
  const results: BenchResult[] = [];
  for (const [name, query, goal] of [
    ['first page of 1,000 keys', 'list-type=2', '< 50 ms'],
    ['a page of 1,000 keys in the middle', 'list-type=2&start-after=folder-500%2F', ''],
    ['first page of 1,000 folders', 'delimiter=%2F&list-type=2', ''],
    ['the first 100 folders', 'delimiter=%2F&list-type=2&max-keys=100', ''],
  ] as const) {
    const latencies: number[] = [];
    for (let count = 0; count < LISTS; count += 1) {
      const startedAt = performance.now();
      await ask(target, agent, { method: 'GET', path: addressOf(target, 'GET', `?${query}`) });
      latencies.push(performance.now() - startedAt);
    }
    const named = `1,000,000 keys, ${name}, p95`;
    results.push({
      name: named,
      value: percentile(latencies, 0.95),
      unit: 'ms',
      ...(goal && { target: goal }),
    });
  }
  agent.destroy();
  return results;
}

/** Rows like those of uploads, without their content: lists read nothing else. */
async function fillBucket(server: TestServer, bucketId: string): Promise<void> {
  const db = openDatabase(`sqlite:${join(server.dataDir, 'portage.sqlite')}`);
  try {
    await sql`insert into objects (bucket_id, key, content_id, size, etag, headers, metadata, tags, checksum_algorithm,
        checksum_type, checksum, part_count, modified_at)
      with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < ${KEYS - 1})
      select bucket_id, printf('folder-%03d/object-%06d.txt', n / 1000, n), content_id || n, size, etag, headers, metadata,
        tags, checksum_algorithm, checksum_type, checksum, part_count, modified_at
      from numbers, objects where bucket_id = ${bucketId} and key = 'template'`.execute(db);
  } finally {
    await db.destroy();
  }
}

if (import.meta.main) {
  const { formatResults } = await import('./bench-result.ts');
  process.stdout.write(`${formatResults(await benchStorage())}\n`);
}
