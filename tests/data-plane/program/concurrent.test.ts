import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Deployer,
  type DeploySite,
  hashOf,
  registerDeployer,
  requireStatus,
  type SiteFiles,
  sealOpen,
  sendMissing,
} from '#tests/support/client/deploy-client.ts';
import { startUpload } from '#tests/support/client/raw-upload.ts';
import { listOf, objectOf, type RestResponse } from '#tests/support/client/rest-client.ts';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { findEdgeDifferences, markedSite, markOf } from '#tests/support/server/marked-site.ts';
import { ENGINES, startServerOn } from '#tests/support/server/server-on-engine.ts';
import type { TestServer } from '#tests/support/server/test-server.ts';

const ROUNDS = 5;
const random = seededRandom(11);
const small = (mark: string) => markedSite(mark, random, 3);
const codeOf = (response: RestResponse) => (response.status < 300 ? 'done' : String(objectOf(response).code));

async function versionsOf(site: DeploySite) {
  return listOf(requireStatus(await site.client('GET', `${site.path}/versions`), 200));
}

async function currentOf(site: DeploySite): Promise<string> {
  const current = (await versionsOf(site)).filter((version) => version.is_current);
  expect(current).toHaveLength(1);
  return String(current[0]?.id);
}

const seal = (site: DeploySite, id: string) =>
  site.client('POST', `${site.path}/versions/${id}/seal`, { json: {} });

async function complete(site: DeploySite, files: SiteFiles): Promise<string> {
  const version = await site.open(files);
  await sendMissing(site.client, version.path, files, version.missing);
  return version.id;
}

describe.each(ENGINES)('at once, on %s', (engine) => {
  let server: TestServer;
  let deployer: Deployer;
  beforeAll(async () => {
    server = await startServerOn(engine, { LOG_LEVEL: 'warn' });
    deployer = await registerDeployer(server);
  });
  afterAll(async () => {
    await server?.close();
    // No request may have ended in an unexpected error.
    expect(server.output()).not.toMatch(/"level":(50|60)|"level":"(error|fatal)"/);
  });

  it('two deploys to one site are both kept, and one of them is completely live', async () => {
    const site = await deployer.createSite('two deploys');
    const contents = new Map<string, SiteFiles>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const [left, right] = [small(`left${round}`), small(`right${round}`)];
      const done = await Promise.all([site.deploy(left), site.deploy(right)]);
      contents.set(done[0].id, left).set(done[1].id, right);
      const current = await currentOf(site);
      expect(done.map(({ id }) => id)).toContain(current);
      expect(await findEdgeDifferences(server, site.host, contents.get(current) ?? {})).toEqual([]);
    }
    const versions = await versionsOf(site);
    expect(new Set(versions.map((version) => version.number)).size).toBe(ROUNDS * 2);
    expect(versions.every((version) => version.sealed_at !== null)).toBe(true);
  });

  it('two seals of one version are one seal with one report', async () => {
    const site = await deployer.createSite('two seals');
    for (let round = 0; round < ROUNDS; round += 1) {
      const files = small(`seal${round}`);
      const id = await complete(site, files);
      const responses = await Promise.all([seal(site, id), seal(site, id), seal(site, id)]);
      // The loser may be told to retry, and then finds the seal done.
      expect(responses.map(codeOf).filter((code) => code !== 'conflict' && code !== 'done')).toEqual([]);
      const done = responses.filter((response) => response.status === 200);
      expect(done.length).toBeGreaterThan(0);
      const again = requireStatus(await seal(site, id), 200);
      for (const response of done) expect(objectOf(response)).toEqual(objectOf(again));
      expect(await findEdgeDifferences(server, site.host, files)).toEqual([]);
    }
  });

  it('two rollbacks have one winner', async () => {
    const site = await deployer.createSite('two rollbacks');
    const base = small('base');
    const { id } = await site.deploy(base);
    for (let round = 0; round < ROUNDS; round += 1) {
      await site.deploy(small(`newer${round}`));
      const codes = (await Promise.all([site.rollback(id), site.rollback(id)])).map(codeOf).sort();
      expect(['done version_is_current', 'conflict done']).toContain([...codes].sort().join(' '));
      expect(await currentOf(site)).toBe(id);
      expect(await findEdgeDifferences(server, site.host, base)).toEqual([]);
    }
  });

  it('rollbacks to two versions end at the older one', async () => {
    const site = await deployer.createSite('older wins');
    const base = small('oldest');
    const oldest = await site.deploy(base);
    for (let round = 0; round < ROUNDS; round += 1) {
      const middle = await site.deploy(small(`middle${round}`));
      await site.deploy(small(`newest${round}`));
      const responses = await Promise.all([site.rollback(middle.id), site.rollback(oldest.id)]);
      expect(codeOf(responses[1])).toBe('done');
      expect(['done', 'version_reverted']).toContain(codeOf(responses[0]));
      expect(await currentOf(site)).toBe(oldest.id);
      expect(await findEdgeDifferences(server, site.host, base)).toEqual([]);
    }
  });

  it('a rollback and a deploy leave one of the two live, and the history says which', async () => {
    const site = await deployer.createSite('rollback and deploy');
    const base = small('ground');
    const { id } = await site.deploy(base);
    for (let round = 0; round < ROUNDS; round += 1) {
      await site.deploy(small(`middle${round}`));
      const files = small(`deploy${round}`);
      const newest = await complete(site, files);
      const [rolledBack, sealed] = await Promise.all([site.rollback(id), seal(site, newest)]);
      expect(codeOf(rolledBack)).toBe('done');
      expect(['done', 'version_reverted']).toContain(codeOf(sealed));
      const current = await currentOf(site);
      const isReverted =
        (await versionsOf(site)).find((version) => version.id === newest)?.reverted_at !== null;
      expect([id, newest]).toContain(current);
      expect(isReverted).toBe(current === id);
      const expected = current === id ? base : files;
      expect(await findEdgeDifferences(server, site.host, expected)).toEqual([]);
      if (current !== id) requireStatus(await site.rollback(id), 200);
    }
  });

  it('a seal is refused while a file is still being uploaded, and the upload is not harmed', async () => {
    const site = await deployer.createSite('seal and upload');
    const content = randomBytes(400_000);
    const files = { 'index.html': 'here', 'slow.bin': content };
    const version = await site.open(files);
    await sendMissing(site.client, version.path, files, [hashOf('here')]);
    const address = new URL(`${version.path}/blobs/${hashOf(content)}`, server.consoleUrl);
    const upload = startUpload('PUT', address, { authorization: site.authorization });
    await upload.send(content.subarray(0, 200_000));
    const early = await seal(site, version.id);
    expect([early.status, objectOf(early).code]).toEqual([409, 'version_incomplete']);
    await upload.send(content.subarray(200_000));
    requireStatus(await upload.finish(), 200);
    await sealOpen(site.client, version);
    expect(await findEdgeDifferences(server, site.host, files)).toEqual([]);
  });

  it('the same content from many senders is stored once and correctly', async () => {
    const site = await deployer.createSite('same content');
    const files = small('same');
    const versions = await Promise.all([site.open(files), site.open(files), site.open(files)]);
    await Promise.all(versions.map(({ path, missing }) => sendMissing(site.client, path, files, missing)));
    const sealed = await Promise.all(versions.map((version) => sealOpen(site.client, version)));
    for (const { previewHost } of sealed) {
      expect(await findEdgeDifferences(server, previewHost, files)).toEqual([]);
    }
  });

  it('sealing and discarding a version has one winner', async () => {
    const site = await deployer.createSite('seal and drop');
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await complete(site, small(`drop${round}`));
      const drop = site.client('DELETE', `${site.path}/versions/${id}`);
      const [sealed, dropped] = await Promise.all([seal(site, id), drop]);
      const isSealed = sealed.status === 200;
      expect(dropped.status === 204).toBe(!isSealed);
      if (!isSealed) expect(['version_not_found', 'conflict']).toContain(codeOf(sealed));
      else expect(['version_sealed', 'conflict']).toContain(codeOf(dropped));
      expect((await site.client('GET', `${site.path}/versions/${id}`)).status).toBe(isSealed ? 200 : 404);
    }
  });

  it('deleting a site while it is published leaves it either served or gone, and never broken', async () => {
    for (let round = 0; round < 3; round += 1) {
      const site = await deployer.createSite(`deleted ${round}`);
      const files = small(`gone${round}`);
      const id = await complete(site, files);
      const [sealed, deleted] = await Promise.all([seal(site, id), deployer.person('DELETE', site.path)]);
      expect(deleted.status).toBe(204);
      expect(['done', 'site_not_found', 'version_not_found', 'conflict']).toContain(codeOf(sealed));
      expect((await server.edge(site.host, '/')).status).toBe(404);
      requireStatus(await deployer.person('POST', `${site.path}/restore`), 200);
      await sealOpen(site.client, { id, path: `${site.path}/versions/${id}` });
      expect(await findEdgeDifferences(server, site.host, files)).toEqual([]);
    }
  });

  it('readers see the old version or the new one completely, and the new one once it is acknowledged', async () => {
    const site = await deployer.createSite('readers');
    const { id } = await site.deploy(small('mark0'));
    const seen = new Set<string>();
    const reading = { isOver: false };
    const readers = ['/', '/file-0.txt', '/file-1.txt'].map(async (path) => {
      while (!reading.isOver) {
        const response = await server.edge(site.host, path);
        seen.add(response.status === 200 ? markOf(response.text) : `status ${response.status}`);
      }
    });
    const liveMark = async () => markOf((await server.edge(site.host, '/')).text);
    for (let round = 1; round <= ROUNDS; round += 1) {
      await site.deploy(small(`mark${round}`));
      expect(await liveMark()).toBe(`mark${round}`);
      if (round % 3 !== 0) continue;
      requireStatus(await site.rollback(id), 200);
      expect(await liveMark()).toBe('mark0');
    }
    reading.isOver = true;
    await Promise.all(readers);
    expect([...seen].filter((mark) => !/^mark\d+$/.test(mark))).toEqual([]);
  });
});
