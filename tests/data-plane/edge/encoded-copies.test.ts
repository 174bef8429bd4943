import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { endLease } from '#tests/support/app/end-lease.ts';
import { type Deployer, registerDeployer } from '#tests/support/client/deploy-client.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { awaitEncodings } from '#tests/support/server/await-encodings.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';

const TEXTS = 600;
const UNPACK = { br: brotliDecompressSync, gzip: gunzipSync };

let server: TestServer;
let deployer: Deployer;
beforeAll(async () => {
  server = await startTestServer({ LOG_LEVEL: 'warn' });
  deployer = await registerDeployer(server);
});
afterAll(() => server.close());

/** Ends the server immediately and restarts it after the time for which it held its job. */
async function crash(): Promise<void> {
  await server.kill();
  const db = openDatabase(`sqlite:${join(server.dataDir, 'portage.sqlite')}`);
  await endLease({ db }, 'encode-versions');
  await db.destroy();
  await server.start();
}

it('a version of many texts is served immediately, and compressed soon after, whatever ends the server in between', async () => {
  const site = await deployer.createSite('texts');
  const text = (name: string) => `${name}: ${'words and words '.repeat(120)}`;
  const files: Record<string, string> = { 'index.html': text('index') };
  for (let at = 0; at < TEXTS; at += 1) files[`notes/${at}.txt`] = text(`note ${at}`);
  await site.deploy(files);
  expect((await server.edge(site.host, '/notes/599.txt')).body.toString()).toBe(files['notes/599.txt']);
  await crash();
  // What pages need is encoded first: by now some copies are made, and most are not.
  await pollUntil(
    async () => (await server.edge(site.host, '/', { headers: { 'accept-encoding': 'gzip' } })).headers,
    (headers) => headers['content-encoding'] === 'gzip',
  );
  await crash();
  await awaitEncodings(server, site.host, '/');
  for (const encoding of ['br', 'gzip'] as const) {
    for (let at = 0; at < TEXTS; at += 50) {
      const path = `/notes/${at}.txt`;
      const response = await pollUntil(
        () => server.edge(site.host, path, { headers: { 'accept-encoding': encoding } }),
        ({ headers }) => headers['content-encoding'] === encoding,
      );
      expect(UNPACK[encoding](response.body).toString()).toBe(files[path.slice(1)]);
    }
  }
});
