import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, open, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { migrateToLatest } from '#db/migrate.ts';
import { collectGarbage } from '#server/services/deployments/blobs/collect-garbage.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { openDirectoryStore } from '#server/store/directory/directory-store.ts';
import { LOOK_AGAIN_MS } from '#server/store/room/disk-reserve.ts';
import { watchDisk } from '#server/store/room/watch-disk.ts';
import { uploadTestVersion } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import {
  type Deployer,
  hashOf,
  registerDeployer,
  requireStatus,
  sealOpen,
  sendBatch,
  sendMissing,
  toManifest,
} from '#tests/support/client/deploy-client.ts';
import { credentialClient, objectOf, type RestResponse } from '#tests/support/client/rest-client.ts';
import { packZip } from '#tests/support/pack-zip.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { type SeededRandom, seededRandom } from '#tests/support/seeded-random.ts';
import { awaitEncodings } from '#tests/support/server/await-encodings.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';
import { findEdgeDifferences, markedSite } from '#tests/support/server/marked-site.ts';
import { mountSmallDisk, type SmallDisk } from '#tests/support/server/small-disk.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';
import { makeBuckets } from '#tests/support/storage/s3-client.ts';
import { signAndSend } from '#tests/support/storage/s3-raw.ts';

const probe = mountSmallDisk(1);
probe?.unmount();
/**
 * Without the permission to mount, the last test still shows what a full disk does, on files that refuse to
 * grow.
 */
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

async function temporaryFiles(disk: SmallDisk): Promise<string[]> {
  const entries = await readdir(join(disk.path, 'blobs', 'tmp'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

/** Fills the disk until the space held next to the database has been released, and no further. */
async function fillToReserve(disk: SmallDisk): Promise<void> {
  const isHeld = () => existsSync(join(disk.path, 'disk-reserve'));
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await pollUntil(async () => isHeld(), Boolean);
    await disk.fill();
    await pollUntil(
      async () => isHeld(),
      (held) => !held,
    );
    if ((await statfs(disk.path)).bavail > 0) {
      // For this long, the server relies on what it measured before the disk was full.
      return setTimeout(LOOK_AGAIN_MS);
    }
    // The filler took what was released.
    await disk.free();
  }
  throw new Error('the filler was always faster');
}

/** Files of 600 kB that exceed the disk. */
function moreThanFits(chance: SeededRandom, mebibytes: number): Record<string, Buffer> {
  const count = Math.ceil((mebibytes * 1024 ** 2) / 600_000);
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${index}.bin`, chance.bytes(600_000)]),
  );
}

function expectFull(response: RestResponse): void {
  expect([response.status, objectOf(response).code], response.text).toEqual([507, 'storage_full']);
}

const random = seededRandom(17);
const live = { ...markedSite('live', random, 6), 'film.bin': random.bytes(3_000_000) };

describe.runIf(canMount)('a full disk under the object store', () => {
  it('is reported as 507, harms nothing that is live, and the same deploy can continue after it', async () => {
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
    // It is compressed once there is room.
    requireStatus(await site.client('POST', `${complete.path}/seal`, { json: { publish: false } }), 200);
    expect(await findEdgeDifferences(server, site.host, live)).toEqual([]);
    await pollUntil(
      () => temporaryFiles(disk),
      (files) => files.length === 0,
    );
    // Results are reused for two seconds.
    const patience = { timeout: 20_000, interval: 500 };
    const storeOf = async () => {
      const response = await fetch(`${server.consoleUrl}/readyz`);
      // People still delete what fills it.
      expect(response.status).toBe(200);
      return ((await response.json()) as { checks: { store: string } }).checks.store;
    };
    const storeWhenFull = async () => {
      // A copy that was being written while the disk filled up has released its space.
      await disk.fill();
      return storeOf();
    };
    await expect.poll(storeWhenFull, patience).toBe('full');
    expect((await fetch(`${server.consoleUrl}/healthz`)).status).toBe(200);

    await disk.free();
    await expect.poll(storeOf, patience).toBe('ok');
    const missing = JSON.parse((await site.client('GET', `${version.path}/missing`)).text).missing;
    expect(missing).not.toContain(hashOf(first));
    await sendMissing(site.client, version.path, next, missing);
    await sealOpen(site.client, version);
    expect(await findEdgeDifferences(server, site.host, next)).toEqual([]);
    await sealOpen(site.client, complete);
    await awaitEncodings(server, site.host, '/text.txt');
  });
});

/** Of objects in the database and in the store. */
const [SMALL, LARGE] = [100, 100_000] as const;

/** A bucket whose objects are named by their sizes. */
async function bucketOf(server: TestServer, { person }: Deployer) {
  const maker = makeBuckets(server, person);
  const { id, name } = await maker.createBucket('full');
  const keys = await maker.createKeys([id]);
  const ask = (method: string, bytes: number, body?: Buffer) =>
    signAndSend(server.s3Port, { method, path: `/${name}/${bytes}`, keys, ...(body && { body }) });
  return {
    async put(bytes: number) {
      const { status, code } = await ask('PUT', bytes, Buffer.alloc(bytes, 'x'));
      return code === null ? String(status) : `${status} ${code}`;
    },
    read: async (bytes: number) => (await ask('GET', bytes)).text.length,
  };
}

describe.runIf(canMount)('a full disk under everything, including the database', () => {
  it('an upload that exceeds the disk is refused, leaves nothing behind, and stops no other request', async () => {
    const { disk, server } = await startOnSmallDisk(48, (path) => ({ DATA_DIR: path }));
    const deployer = await registerDeployer(server);
    const site = await deployer.createSite('too large');
    await site.deploy(live);
    const large = moreThanFits(random, 60);
    const version = await site.open(large);
    const one = random.bytes(40_000_000);
    // Opened before: what fitted of the batch is kept, and leaves no room for the manifest of another
    // version.
    const single = await site.open({ 'one.bin': one });
    const batch = Object.fromEntries(Object.values(large).map((content) => [hashOf(content), content]));
    expectFull(await sendBatch(site.client, version.path, batch));
    expectFull(
      await site.client('PUT', `${single.path}/blobs/${hashOf(one)}`, { body: new Uint8Array(one) }),
    );
    const archive = new Uint8Array(packZip({ 'index.html': '', 'new.bin': one }));
    const headers = { 'content-type': 'application/zip' };
    expectFull(await site.client('POST', `${site.path}/versions`, { body: archive, headers }));
    expect(await temporaryFiles(disk)).toEqual([]);

    expect((await fetch(`${server.consoleUrl}/readyz`)).status).toBe(200);
    requireStatus(await deployer.person('POST', '/api/v1/sites', { json: { name: 'somebody else' } }), 201);
    requireStatus(await site.client('DELETE', version.path), 204);
    await server.stop();
    await server.start();
    requireStatus(await site.client('DELETE', single.path), 204);
    expect(await findEdgeDifferences(server, site.host, live)).toEqual([]);
  });

  it('refuses uploads and new versions with 507, continues with everything else, and recovers automatically', async () => {
    const { disk, server } = await startOnSmallDisk(48, (path) => ({ DATA_DIR: path }));
    const deployer = await registerDeployer(server);
    const site = await deployer.createSite('all full');
    await site.deploy(live);
    const next = markedSite('next', random, 12);
    const version = await site.open(next);
    const unwanted = await site.open({ 'index.html': 'unwanted' });
    const bucket = await bucketOf(server, deployer);
    for (const bytes of [SMALL, LARGE]) expect(await bucket.put(bytes)).toBe('200');

    await fillToReserve(disk);
    const content = Buffer.from(next['index.html'] ?? '');
    const put = await site.client('PUT', `${version.path}/blobs/${hashOf(content)}`, {
      body: new Uint8Array(content),
    });
    expectFull(put);
    expectFull(await site.client('POST', `${site.path}/versions`, { json: { files: toManifest(next) } }));
    requireStatus(await site.client('DELETE', unwanted.path), 204);
    requireStatus(await deployer.person('POST', '/api/v1/sites', { json: { name: 'one more' } }), 201);
    expect((await deployer.person('GET', '/api/v1/sites')).status).toBe(200);
    for (const bytes of [SMALL, LARGE]) {
      expect(await bucket.put(bytes)).toBe('503 ServiceUnavailable');
      expect(await bucket.read(bytes)).toBe(bytes);
    }
    expect(await findEdgeDifferences(server, site.host, live)).toEqual([]);

    await disk.free();
    for (const bytes of [SMALL, LARGE]) expect(await bucket.put(bytes)).toBe('200');
    await sendMissing(site.client, version.path, next, version.missing);
    await sealOpen(site.client, version);
    expect(await findEdgeDifferences(server, site.host, next)).toEqual([]);
  });

  it('is cleaned by the collector while it is still full', async () => {
    const disk = mountSmallDisk(48);
    if (!disk) throw new Error('the disk cannot be mounted any more');
    disks.push(disk);
    const databaseUrl = `sqlite:${disk.path}/portage.sqlite`;
    const database = openDatabase(databaseUrl);
    await migrateToLatest(database);
    await database.destroy();
    const app = await createTestApp({ environment: { DATA_DIR: disk.path, DATABASE_URL: databaseUrl } });
    if (!app.databaseDisk) throw new Error('the database lies on no disk');
    const watch = await watchDisk(app.config, app.databaseDisk, app.logger);
    const { context } = await createTestPerson(app);
    const site = await createSite(context, { name: 'abandoned' });
    const files = moreThanFits(random, 20);
    await uploadTestVersion(context, site.id, files);
    await fillToReserve(disk);
    const before = (await statfs(disk.path)).bavail;
    app.clock.advance(25 * 60 * 60 * 1000);
    const job = { ...context, actor: { kind: 'job', name: 'collect-garbage' } } as const;
    expect(await collectGarbage(job)).toEqual({ versions: 1, blobs: Object.keys(files).length });
    expect((await statfs(disk.path)).bavail - before).toBeGreaterThan((16 * 1024 ** 2) / 4096);
    watch.stop();
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
  it('is reported as 507, and the same deploy continues after it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portage-full-'));
    let isFull = false;
    const blobs = await openDirectoryStore(folder, {
      openFile: (path, flags, mode) => (isFull ? open('/dev/full', 'r+') : open(path, flags, mode)),
    });
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
