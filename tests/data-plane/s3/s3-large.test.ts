import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { childProcesses } from '#tests/support/server/child-processes.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';
import { registerBucketOwner } from '#tests/support/storage/s3-client.ts';
import { presignedPath } from '#tests/support/storage/s3-signing.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';

const MIB = 1024 ** 2;
const SIZE = 1_024 * MIB;
/** Above what the process has taken before; buffers of connections and files, however long these are. */
const MEMORY_MAX = 160 * MIB;
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ BILLING_MODE: 'off', PROCESSES: 'auto' });
});
afterAll(() => server.close());

/** The most memory that a process has ever had. */
function peakBytes(processId: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))?.[1]) * 1_024;
}

it('an object of 1 GiB comes and goes through curl unchanged, in memory that does not grow with it', async () => {
  const owner = await registerBucketOwner(server);
  const keys = await owner.createKeys([(await owner.createBucket('large')).id]);
  const host = `127.0.0.1:${server.s3Port}`;
  const addressOf = (method: string) =>
    `http://${host}${presignedPath({ method, path: '/large/object', host, keys, seconds: 600 })}`;
  const run = promisify(execFile);
  const folder = await makeTemporaryFolder({});
  const [sent, received] = [join(folder, 'sent'), join(folder, 'received')];
  // Long holes, which cost no disk here, between marks that no two places share.
  const file = await open(sent, 'w');
  for (let at = 0; at < SIZE; at += 97 * MIB) await file.write(`mark at ${at}`, at);
  await file.truncate(SIZE);
  await file.close();
  const processId = childProcesses(server.processId()).get('s3') ?? server.processId();
  const before = peakBytes(processId);
  await run('curl', ['--silent', '--show-error', '--fail', '--upload-file', sent, addressOf('PUT')]);
  await run('curl', ['--silent', '--show-error', '--fail', '--output', received, addressOf('GET')]);
  expect((await stat(received)).size).toBe(SIZE);
  await run('cmp', [sent, received]);
  expect(peakBytes(processId) - before).toBeLessThan(MEMORY_MAX);
}, 180_000);
