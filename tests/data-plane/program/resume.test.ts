import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Deployer,
  type DeploySite,
  hashOf,
  registerDeployer,
  requireStatus,
  sealOpen,
  sendMissing,
} from '#tests/support/client/deploy-client.ts';
import { startUpload } from '#tests/support/client/raw-upload.ts';
import { listOf, objectOf } from '#tests/support/client/rest-client.ts';
import { packTar } from '#tests/support/pack-tar.ts';
import { packZip } from '#tests/support/pack-zip.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { findEdgeDifferences, markedSite } from '#tests/support/server/marked-site.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';

const TAR = 'application/x-tar';

let server: TestServer;
let deployer: Deployer;

beforeAll(async () => {
  server = await startTestServer({ LOG_LEVEL: 'warn' });
  deployer = await registerDeployer(server);
});
afterAll(() => server.close());

const random = seededRandom(7);
const live = { 'index.html': 'the live site' };
let nextSite = 1;

async function liveSite(): Promise<DeploySite> {
  const site = await deployer.createSite(`resume ${nextSite++}`);
  await site.deploy(live);
  return site;
}

async function missingOf(site: DeploySite, path: string): Promise<string[]> {
  return JSON.parse(requireStatus(await site.client('GET', `${path}/missing`), 200).text).missing;
}

function isStored(hash: string): boolean {
  return existsSync(join(server.dataDir, 'blobs', hash.slice(0, 2), hash));
}

describe('a client that dies during an upload', () => {
  it.each([{ isChunked: true }, { isChunked: false }])(
    'leaves nothing of half a file, and sends it again (chunked: $isChunked)',
    async ({ isChunked }) => {
      const site = await liveSite();
      const content = random.bytes(2_000_000);
      const hash = hashOf(content);
      const version = await site.open({ 'big.bin': content });
      const address = new URL(`${version.path}/blobs/${hash}`, server.consoleUrl);
      const length: Record<string, number> = isChunked ? {} : { 'content-length': content.byteLength };
      for (const cutAt of [1, 1_000_000, content.byteLength - 1]) {
        const upload = startUpload('PUT', address, { authorization: site.authorization, ...length });
        await upload.send(content.subarray(0, cutAt));
        await upload.cut();
        expect(await missingOf(site, version.path)).toEqual([hash]);
        expect(isStored(hash)).toBe(false);
      }
      const incomplete = await site.client('POST', `${version.path}/seal`, { json: {} });
      expect([incomplete.status, objectOf(incomplete).code]).toEqual([409, 'version_incomplete']);
      expect(await findEdgeDifferences(server, site.host, live)).toEqual([]);

      await sendMissing(site.client, version.path, { 'big.bin': content }, [hash]);
      const { previewHost } = await sealOpen(site.client, version);
      expect(await findEdgeDifferences(server, previewHost, { 'big.bin': content })).toEqual([]);
    },
  );

  it('keeps the complete files of an interrupted batch, and sends only the others', async () => {
    const site = await liveSite();
    const files = markedSite('batch', random, 30);
    const version = await site.open(files);
    const byHash = Object.fromEntries(
      Object.values(files).map((content) => [hashOf(content), Buffer.from(content)]),
    );
    const archive = await packTar(byHash);
    const address = new URL(`${version.path}/blobs`, server.consoleUrl);
    const headers = { authorization: site.authorization, 'content-type': TAR };
    const upload = startUpload('POST', address, { ...headers, 'content-length': archive.byteLength });
    await upload.send(archive.subarray(0, Math.floor(archive.byteLength / 2)));
    await upload.cut();

    const some = (missing: string[]) => missing.length < version.missing.length;
    const missing = await pollUntil(() => missingOf(site, version.path), some);
    expect(missing.length).toBeGreaterThan(0);
    expect(await findEdgeDifferences(server, site.host, live)).toEqual([]);
    const received = await pollUntil(() => missingOf(site, version.path), some);
    await sendMissing(site.client, version.path, files, received);
    await sealOpen(site.client, version);
    expect(await findEdgeDifferences(server, site.host, files)).toEqual([]);
  });

  it('in the middle of the manifest has opened nothing', async () => {
    const site = await liveSite();
    const address = new URL(`${site.path}/versions`, server.consoleUrl);
    const headers = { authorization: site.authorization, 'content-type': 'application/json' };
    const upload = startUpload('POST', address, headers);
    await upload.send(Buffer.from('{"files":{"index.html":{"sha2'));
    await upload.cut();
    expect(listOf(await site.client('GET', `${site.path}/versions`))).toHaveLength(1);
  });

  it('while waiting for a seal finds it done, or repeats it', async () => {
    const site = await liveSite();
    const files = markedSite('sealing', random, 30);
    const version = await site.open(files);
    await sendMissing(site.client, version.path, files, version.missing);
    const address = new URL(`${version.path}/seal`, server.consoleUrl);
    const seal = startUpload('POST', address, {
      authorization: site.authorization,
      'content-type': 'application/json',
    });
    await seal.send(Buffer.from('{}'));
    await seal.cut();
    const { report } = await sealOpen(site.client, version);
    expect(report).toMatchObject({ is_published: true, file_count: Object.keys(files).length });
    expect(await findEdgeDifferences(server, site.host, files)).toEqual([]);
  });

  it('in the middle of an archive has deployed nothing', async () => {
    const site = await liveSite();
    const address = new URL(`${site.path}/versions`, server.consoleUrl);
    const files = markedSite('archive', random, 30);
    const archives = {
      'application/zip': packZip(files),
      [TAR]: await packTar(files),
      'application/gzip': gzipSync(await packTar(files)),
    };
    for (const [type, archive] of Object.entries(archives)) {
      const headers = { authorization: site.authorization, 'content-type': type };
      const upload = startUpload('POST', address, { ...headers, 'content-length': archive.byteLength });
      await upload.send(archive.subarray(0, archive.byteLength - 1000));
      await upload.cut();
    }
    // The last one is complete: when it is answered, the ones before it have had their time.
    expect((await site.deploy({ 'index.html': 'after' })).report).toMatchObject({ is_published: true });
    const sealed = listOf(await site.client('GET', `${site.path}/versions`)).filter(
      (version) => version.sealed_at,
    );
    expect(sealed).toHaveLength(2);
    expect(await findEdgeDifferences(server, site.host, { 'index.html': 'after' })).toEqual([]);
  });
});

describe('an archive that was truncated before it was sent', () => {
  it.each([
    { kind: 'zip', type: 'application/zip' },
    { kind: 'tar.gz', type: 'application/gzip' },
    { kind: 'tar', type: TAR },
  ])('is rejected as a $kind at any length, and nothing is published', async ({ kind, type }) => {
    const site = await liveSite();
    const files = markedSite('cut', random, 6);
    const tar = await packTar(files);
    const archive = kind === 'zip' ? packZip(files) : kind === 'tar' ? tar : gzipSync(tar);
    const lengths = [
      1,
      600,
      Math.floor(archive.byteLength / 2),
      archive.byteLength - 1025,
      archive.byteLength - 1,
    ];
    for (const length of lengths) {
      const body = new Uint8Array(archive.subarray(0, length));
      const response = await site.client('POST', `${site.path}/versions`, {
        body,
        headers: { 'content-type': type },
      });
      expect([length, response.status], response.text).toEqual([length, 400]);
      expect(objectOf(response).code).toBe('archive_invalid');
    }
    expect(listOf(await site.client('GET', `${site.path}/versions`))).toHaveLength(1);
    expect(await findEdgeDifferences(server, site.host, live)).toEqual([]);
    const body = new Uint8Array(archive);
    const whole = await site.client('POST', `${site.path}/versions`, {
      body,
      headers: { 'content-type': type },
    });
    requireStatus(whole, 201);
    expect(await findEdgeDifferences(server, site.host, files)).toEqual([]);
  });

  it('keeps what a truncated batch contained completely', async () => {
    const site = await liveSite();
    const files = { a: 'one', b: 'two', c: random.bytes(100_000) };
    const version = await site.open(files);
    const byHash = Object.fromEntries(Object.values(files).map((content) => [hashOf(content), content]));
    const archive = await packTar(byHash);
    const body = new Uint8Array(archive.subarray(0, archive.byteLength - 50_000));
    const headers = { 'content-type': TAR };
    const response = await site.client('POST', `${version.path}/blobs`, { body, headers });
    expect([response.status, objectOf(response).code]).toEqual([400, 'archive_invalid']);
    expect(await missingOf(site, version.path)).toEqual([hashOf(files.c)]);
    const nonsense = await site.client('POST', `${version.path}/blobs`, {
      body: new Uint8Array(random.bytes(5000)),
      headers,
    });
    expect([nonsense.status, objectOf(nonsense).code]).toEqual([400, 'archive_invalid']);
    await sendMissing(site.client, version.path, files, await missingOf(site, version.path));
    await sealOpen(site.client, version);
    expect(await findEdgeDifferences(server, site.host, files)).toEqual([]);
  });
});
