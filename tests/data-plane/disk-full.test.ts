import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createSite } from '#server/services/sites/create-site.ts';
import { openDirectoryStore } from '#server/store/directory-store.ts';
import { startConsoleServer } from '#tests/support/console-server.ts';
import {
  hashOf,
  registerDeployer,
  requireStatus,
  sealOpen,
  sendBatch,
  sendMissing,
  toManifest,
} from '#tests/support/deploy-client.ts';
import { findEdgeDifferences, markedSite } from '#tests/support/marked-site.ts';
import { packZip } from '#tests/support/pack-zip.ts';
import { credentialClient, objectOf, type RestAnswer } from '#tests/support/rest-client.ts';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { createTestPerson } from '#tests/support/sign-in.ts';
import { mountSmallDisk, type SmallDisk } from '#tests/support/small-disk.ts';
import { startTestServer, type TestServer } from '#tests/support/test-server.ts';

const probe = mountSmallDisk(1);
probe?.unmount();
/** Without the right to mount, the last test still shows what a full disk does, on files that refuse to grow. */
const canMount = probe !== null;

const disks: SmallDisk[] = [];
const servers: TestServer[] = [];
afterEach(async () => {
  for (const disk of disks) await disk.free();
  for (const server of servers.splice(0)) await server.close();
  for (const disk of disks.splice(0)) disk.unmount();
});

async function startOnSmallDisk(
  mebibytes: number,
  toEnvironment: (path: string) => Record<string, string>,
): Promise<{ disk: SmallDisk; server: TestServer }> {
  const disk = mountSmallDisk(mebibytes);
  if (!disk) throw new Error('the disk cannot be mounted any more');
  disks.push(disk);
  const server = await startTestServer({ LOG_LEVEL: 'warn', ...toEnvironment(disk.path) });
  servers.push(server);
  return { disk, server };
}

function expectFull(answer: RestAnswer): void {
  expect([answer.status, objectOf(answer).code], answer.text).toEqual([507, 'storage_full']);
}

const random = seededRandom(17);
const live = { ...markedSite('live', random, 6), 'film.bin': random.bytes(3_000_000) };

describe.runIf(canMount)('a full disk under the object store', () => {
  it('is told as 507, hurts nothing that is live, and lets the same deploy go on after it', async () => {
    const { disk, server } = await startOnSmallDisk(24, (path) => ({
      OBJECT_STORE_URL: `file:${path}/blobs`,
    }));
    const site = await (await registerDeployer(server)).createSite('disk full');
    await site.deploy(live);
    const next = markedSite('next', random, 12);
    const version = await site.open(next);
    const contents = Object.values(next).map((content) => Buffer.from(content));
    const [first = Buffer.alloc(0), ...rest] = contents;
    const put = (content: Buffer) =>
      site.client('PUT', `${version.path}/blobs/${hashOf(content)}`, { body: new Uint8Array(content) });
    requireStatus(await put(first), 200);
    const complete = await site.open({ 'text.txt': 'compressible '.repeat(50_000) });
    await sendMissing(site.client, complete.path, { t: 'compressible '.repeat(50_000) }, complete.missing);

    await disk.fill();
    expectFull(await put(rest[0] ?? first));
    expectFull(
      await sendBatch(site.client, version.path, Object.fromEntries(rest.map((one) => [hashOf(one), one]))),
    );
    const archive = new Uint8Array(packZip({ 'index.html': '', 'new.bin': randomBytes(200_000) }));
    const headers = { 'content-type': 'application/zip' };
    expectFull(await site.client('POST', `${site.path}/versions`, { body: archive, headers }));
    // Sealing writes the encoded forms.
    expectFull(await site.client('POST', `${complete.path}/seal`, { json: {} }));
    expect(await findEdgeDifferences(server, site.host, live)).toEqual([]);
    expect(await readdir(join(disk.path, 'blobs', 'tmp'))).toEqual([]);
    expect((await fetch(`${server.consoleUrl}/readyz`)).status).toBe(503);
    expect((await fetch(`${server.consoleUrl}/healthz`)).status).toBe(200);

    await disk.free();
    expect((await fetch(`${server.consoleUrl}/readyz`)).status).toBe(200);
    const missing = JSON.parse((await site.client('GET', `${version.path}/missing`)).text).missing;
    expect(missing).not.toContain(hashOf(first));
    await sendMissing(site.client, version.path, next, missing);
    await sealOpen(site.client, version);
    expect(await findEdgeDifferences(server, site.host, next)).toEqual([]);
    await sealOpen(site.client, complete);
    expect((await server.edge(site.host, '/text.txt')).status).toBe(200);
  });
});

describe.runIf(canMount)('a full disk under everything, the database included', () => {
  it('refuses writes with 507, goes on serving and reading, and recovers by itself', async () => {
    const { disk, server } = await startOnSmallDisk(48, (path) => ({ DATA_DIR: path }));
    const deployer = await registerDeployer(server);
    const site = await deployer.createSite('all full');
    await site.deploy(live);
    const next = markedSite('next', random, 12);
    const version = await site.open(next);

    await disk.fill();
    const content = Buffer.from(next['index.html'] ?? '');
    const put = await site.client('PUT', `${version.path}/blobs/${hashOf(content)}`, {
      body: new Uint8Array(content),
    });
    expectFull(put);
    // The database finds room in its log for some commits; in the end it says that there is none.
    const manifest = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [
        `a/long/enough/path/file-${index}.txt`,
        { sha256: hashOf(`${index}`), size: 1 },
      ]),
    );
    expectFull(await site.client('POST', `${site.path}/versions`, { json: { files: manifest } }));
    expectFull(await deployer.person('POST', '/api/v1/sites', { json: { name: 'one more' } }));
    expect((await site.client('GET', site.path)).status).toBe(200);
    expect((await deployer.person('GET', '/api/v1/sites')).status).toBe(200);
    expect(await findEdgeDifferences(server, site.host, live)).toEqual([]);

    await disk.free();
    await sendMissing(site.client, version.path, next, version.missing);
    await sealOpen(site.client, version);
    expect(await findEdgeDifferences(server, site.host, next)).toEqual([]);
    requireStatus(await deployer.person('POST', '/api/v1/sites', { json: { name: 'one more' } }), 201);
  });

  it('loses nothing in a crash at that moment, and starts again once there is room', async () => {
    const { disk, server } = await startOnSmallDisk(48, (path) => ({ DATA_DIR: path }));
    const site = await (await registerDeployer(server)).createSite('full restart');
    await site.deploy(live);
    await disk.fill();
    await server.kill();
    await disk.free();
    await server.start();
    expect(await findEdgeDifferences(server, site.host, live)).toEqual([]);
  });
});

describe('a store whose files refuse to grow (injected: for machines where nothing can be mounted)', () => {
  it('is told as 507, and the same deploy goes on after it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portage-full-'));
    let isFull = false;
    const blobs = await openDirectoryStore(folder, (path, flags, mode) =>
      isFull ? open('/dev/full', 'r+') : open(path, flags, mode),
    );
    const { app, baseUrl } = await startConsoleServer({ blobs });
    const person = await createTestPerson(app);
    const site = await createSite(person.context, { name: 'full' });
    const { client } = await credentialClient(baseUrl, person.context, [site.id]);
    const files = { 'index.html': 'here' };
    const opened = await client('POST', `/api/v1/sites/${site.id}/versions`, {
      json: { files: toManifest(files) },
    });
    const version = `/api/v1/sites/${site.id}/versions/${objectOf(opened).id}`;
    isFull = true;
    expectFull(await client('PUT', `${version}/blobs/${hashOf('here')}`, { body: 'here' }));
    isFull = false;
    await sendMissing(client, version, files, [hashOf('here')]);
    requireStatus(await client('POST', `${version}/seal`), 200);
    await rm(folder, { recursive: true });
  });
});
