import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Deployer,
  type DeploySite,
  hashOf,
  type OpenVersion,
  registerDeployer,
  requireStatus,
  type SiteFiles,
  sealOpen,
  sendBatch,
  sendMissing,
} from '#tests/support/client/deploy-client.ts';
import { listOf, objectOf, type RestResponse } from '#tests/support/client/rest-client.ts';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { findEdgeDifferences, markedSite, markOf } from '#tests/support/server/marked-site.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';

const SEED = 20_261_121;
const UPLOAD_ROUNDS = 4;
const SEAL_ROUNDS = 4;
const PUBLISH_ROUNDS = 6;

let server: TestServer;
let deployer: Deployer;

beforeAll(async () => {
  server = await startTestServer({ LOG_LEVEL: 'warn' });
  deployer = await registerDeployer(server);
});
afterAll(() => server.close());

/** Returns the response of a request that a crash may have cut off, or null when there was none. */
function responseOrNothing(request: Promise<RestResponse>): Promise<RestResponse | null> {
  return request.catch(() => null);
}

/**
 * Kills the server at a moment of a running operation, and starts it again. The moments of all rounds are
 * spread over slightly more than its usual duration, so that some crashes come before the decisive commit and
 * some after, on a fast machine and on a busy one.
 */
async function crashDuring(usualMs: number, round: number, rounds: number): Promise<void> {
  const share = (round + seededRandom(SEED + round).next()) / rounds;
  await new Promise((resolve) => setTimeout(resolve, share * usualMs * 1.6));
  await server.kill();
  await server.start();
}

/** Returns the duration of an undisturbed operation. */
async function measure(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function missingOf(site: DeploySite, version: OpenVersion): Promise<string[]> {
  const response = requireStatus(await site.client('GET', `${version.path}/missing`), 200);
  return JSON.parse(response.text).missing;
}

/** Creates a new site with a live version that must stay untouched. */
async function liveSite(name: string, seed: number): Promise<{ site: DeploySite; live: SiteFiles }> {
  const site = await deployer.createSite(name);
  const live = markedSite('live', seededRandom(seed), 8);
  await site.deploy(live);
  return { site, live };
}

describe('a server killed during an upload', () => {
  it('has everything that it acknowledged, and the client continues with what is missing', async () => {
    const { site, live } = await liveSite('crash upload', SEED);
    for (let round = 0; round < UPLOAD_ROUNDS; round += 1) {
      const random = seededRandom(SEED + round);
      const files = markedSite(`upload${round}`, random, 60);
      const version = await site.open(files);
      const contents = new Map(
        Object.values(files).map((content) => [hashOf(content), Buffer.from(content)]),
      );
      const acknowledged = new Set<string>();
      const queue = [...version.missing];
      const killAt = 1 + random.below(queue.length - 8);
      let killed: Promise<void> | null = null;
      const upload = async (take: number) => {
        while (killed === null && queue.length > 0) {
          const hashes = queue.splice(0, take);
          const batch = Object.fromEntries(
            hashes.map((hash) => [hash, contents.get(hash) ?? Buffer.alloc(0)]),
          );
          const [first = ''] = hashes;
          const request =
            take > 1
              ? sendBatch(site.client, version.path, batch)
              : site.client('PUT', `${version.path}/blobs/${first}`, {
                  body: new Uint8Array(batch[first] ?? []),
                });
          const response = await responseOrNothing(request);
          if (response?.status === 200) for (const hash of hashes) acknowledged.add(hash);
          if (acknowledged.size >= killAt) killed ??= server.kill();
        }
      };
      // One sends batches and the others single files, so the crash interrupts both.
      await Promise.all([upload(5), upload(1), upload(1), upload(1)]);
      await killed;
      await server.start();

      expect(await findEdgeDifferences(server, site.host, live)).toEqual([]);
      const missing = await missingOf(site, version);
      expect(missing.filter((hash) => acknowledged.has(hash))).toEqual([]);
      await sendMissing(site.client, version.path, files, missing);
      const sealed = requireStatus(
        await site.client('POST', `${version.path}/seal`, { json: { publish: false } }),
        200,
      );
      const previewHost = new URL(String(objectOf(sealed).preview_url)).hostname;
      expect(await findEdgeDifferences(server, previewHost, files)).toEqual([]);
    }
  });
});

describe('a server killed during a seal', () => {
  it('has sealed and published, or has done neither; what it acknowledged is kept', async () => {
    const site = await deployer.createSite('crash seal');
    let live = markedSite('first', seededRandom(SEED));
    const undisturbed = await site.open(live);
    await sendMissing(site.client, undisturbed.path, live, undisturbed.missing);
    const usualMs = await measure(() => sealOpen(site.client, undisturbed));
    const outcomes = new Set<string>();
    for (let round = 0; round < SEAL_ROUNDS; round += 1) {
      const random = seededRandom(SEED + round);
      const files = markedSite(`seal${round}`, random);
      const version = await site.open(files);
      await sendMissing(site.client, version.path, files, version.missing);
      const sealing = responseOrNothing(site.client('POST', `${version.path}/seal`, { json: {} }));
      await crashDuring(usualMs, round, SEAL_ROUNDS);
      const response = await sealing;

      const after = objectOf(requireStatus(await site.client('GET', version.path), 200));
      const isSealed = after.sealed_at !== null;
      outcomes.add(`${response?.status ?? 'no answer'}, ${isSealed ? 'sealed' : 'open'}`);
      expect(after.is_current).toBe(isSealed);
      if (response?.status === 200) expect(isSealed).toBe(true);
      expect(await findEdgeDifferences(server, site.host, isSealed ? files : live)).toEqual([]);
      if (!isSealed) expect(await missingOf(site, version)).toEqual([]);

      const report = await sealOpen(site.client, version);
      expect(report.report).toMatchObject({ is_published: true, file_count: Object.keys(files).length });
      expect(await findEdgeDifferences(server, site.host, files)).toEqual([]);
      live = files;
    }
    expect(outcomes).not.toContain('200, open');
  });
});

describe('a server killed during publish and rollback', () => {
  it('is before or after, for readers and in the history alike', async () => {
    const site = await deployer.createSite('crash publish');
    const random = seededRandom(SEED);
    const small = (mark: string) => markedSite(mark, random, 4);
    const base = small('base');
    const { id: baseId } = await sealedUnpublished(site, base);
    const usualMs = await measure(() =>
      sealOpen(site.client, { id: baseId, path: `${site.path}/versions/${baseId}` }),
    );
    let reads = 0;
    for (let round = 0; round < PUBLISH_ROUNDS; round += 1) {
      const isRollback = round % 2 === 1;
      const mark = `publish${round}`;
      const files = small(mark);
      const { id } = isRollback ? await site.deploy(files) : await sealedUnpublished(site, files);
      const [from, to] = isRollback ? [mark, 'base'] : ['base', mark];

      const seen = new Set<string>();
      const reading = { isOver: false };
      const readers = [0, 1].map(async () => {
        while (!reading.isOver) {
          const response = await server.edge(site.host, '/').catch(() => null);
          if (response)
            seen.add(response.status === 200 ? markOf(response.text) : `status ${response.status}`);
          else await new Promise((resolve) => setImmediate(resolve));
          reads += response ? 1 : 0;
        }
      });
      const change = isRollback
        ? site.rollback(baseId)
        : site.client('POST', `/api/v1/sites/${site.id}/versions/${id}/seal`, { json: { publish: true } });
      const changing = responseOrNothing(change);
      // Publishing and rolling back alternate: two rounds share a moment.
      await crashDuring(usualMs, Math.floor(round / 2), PUBLISH_ROUNDS / 2);
      const response = await changing;
      reading.isOver = true;
      await Promise.all(readers);
      expect([...seen].filter((mark) => mark !== from && mark !== to)).toEqual([]);

      const versions = listOf(await site.client('GET', `${site.path}/versions`));
      const current = versions.filter((version) => version.is_current === true);
      expect(current).toHaveLength(1);
      const isDone = current[0]?.id === (isRollback ? baseId : id);
      if (response?.status === 200) expect(isDone).toBe(true);
      const isReverted = versions.find((version) => version.id === id)?.reverted_at !== null;
      expect(isReverted).toBe(isRollback && isDone);
      const expected = isDone === isRollback ? base : files;
      expect(await findEdgeDifferences(server, site.host, expected)).toEqual([]);
      if (!(isDone && isRollback)) requireStatus(await finish(site, isRollback, isDone, baseId, id), 200);
    }
    expect(reads).toBeGreaterThan(PUBLISH_ROUNDS);
  });
});

async function sealedUnpublished(site: DeploySite, files: SiteFiles): Promise<OpenVersion> {
  const version = await site.open(files);
  await sendMissing(site.client, version.path, files, version.missing);
  requireStatus(await site.client('POST', `${version.path}/seal`, { json: { publish: false } }), 200);
  return version;
}

/** Brings the site back to the base version: publishes what the crash prevented, then rolls back. */
async function finish(
  site: DeploySite,
  isRollback: boolean,
  isDone: boolean,
  baseId: string,
  id: string,
): Promise<RestResponse> {
  if (!isRollback && !isDone) {
    const again = await site.client('POST', `${site.path}/versions/${id}/seal`, { json: { publish: true } });
    requireStatus(again, 200);
  }
  return site.rollback(baseId);
}
