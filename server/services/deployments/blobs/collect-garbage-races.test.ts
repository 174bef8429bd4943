import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPostgres, openDatabase } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { BlobStore } from '#server/store/blob-store.ts';
import { deployTestFiles, manifestOf, sha256Of, uploadTestVersion } from '#tests/support/app/deploy.ts';
import type { TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { prepareCollecting } from '#tests/support/server/collecting.ts';
import { createSite } from '../../sites/create-site.ts';
import { cancelVersion } from '../cancel-version.ts';
import { listVersions } from '../list-versions.ts';
import { openVersion } from '../open-version.ts';
import { sealVersion } from '../seal-version.ts';
import { collectGarbage } from './collect-garbage.ts';
import { condemnStrayBlobs } from './condemn-stray-blobs.ts';
import { uploadBlob } from './upload-blob.ts';

const HOUR = 60 * 60 * 1000;

/** Refusals that a deploy may get when a day passes in the middle of it; its sender starts again. */
const ACCEPTED = new Set([
  'version_not_found',
  'blob_not_expected',
  'version_incomplete',
  'upload_interrupted',
  'conflict',
]);

type Step = 'deploy' | 'abandon' | 'forget' | 'day' | 'collect' | 'crash' | 'sweep';

describe('collections during deploys', () => {
  /** Content that is stored, no longer referenced and old enough, and an open version that requests it. */
  async function prepareRace() {
    const prepared = await prepareCollecting();
    const { app, context, site, job } = prepared;
    const other = await createTestPerson(app);
    const theirs = await createSite(other.context, { name: 'theirs' });
    const abandoned = await uploadTestVersion(other.context, theirs.id, { a: 'wanted' });
    await cancelVersion(other.context, { site_id: theirs.id, version_id: abandoned });
    app.clock.advance(25 * HOUR);
    const sha256 = sha256Of('wanted');
    const condemn = () =>
      app.db
        .updateTable('blobs')
        .set({ condemned_at: app.clock.now() })
        .where('sha256', '=', sha256)
        .execute();
    await app.db.deleteFrom('organization_blobs').where('sha256', '=', sha256).execute();
    await condemn();
    const version = await openVersion(context, { site_id: site.id, files: manifestOf({ a: 'wanted' }) });
    const upload = (blobs: BlobStore) =>
      uploadBlob(
        { ...context, app: { ...app, blobs } },
        { site_id: site.id, version_id: version.id, sha256 },
        Readable.from([Buffer.from('wanted')]),
      );
    const seal = () => sealVersion(context, { site_id: site.id, version_id: version.id });
    return { ...prepared, job, upload, seal };
  }

  /** A store that does something between an upload's last byte and its registration. */
  const doingAfterPut = (blobs: BlobStore, work: () => Promise<unknown>): BlobStore =>
    Object.assign(Object.create(blobs), {
      put: async (...args: Parameters<BlobStore['put']>) => {
        await blobs.put(...args);
        await work();
      },
    });

  it('an upload keeps its bytes although a collection runs before they are registered', async () => {
    const { app, job, upload, seal, has } = await prepareRace();
    await upload(doingAfterPut(app.blobs, () => collectGarbage(job)));
    await expectWhole(app);
    expect(await has('wanted')).toBe(true);
    await expect(seal()).resolves.toMatchObject({ added: 1 });
  });

  it('an upload that took so long that its bytes were collected is told to send them again', async () => {
    const { app, job, upload, has } = await prepareRace();
    const aDayLater = doingAfterPut(app.blobs, () => {
      app.clock.advance(25 * HOUR);
      return collectGarbage(job);
    });
    await expect(upload(aDayLater)).rejects.toMatchObject({ code: 'upload_interrupted' });
    await expectWhole(app);
    expect(await has('wanted')).toBe(false);
  });

  it('an upload that begins while the same bytes are being removed is told to try again, and loses none', async () => {
    const { app, job, upload, seal, has } = await prepareRace();
    let meanwhile = '';
    const slowToRemove: BlobStore = Object.assign(Object.create(app.blobs), {
      remove: async (sha256: string) => {
        meanwhile = await upload(app.blobs).then(
          () => 'registered',
          (error: AppError) => error.code,
        );
        await app.blobs.remove(sha256);
      },
    });
    await collectGarbage({ ...job, app: { ...app, blobs: slowToRemove } });
    expect(meanwhile).toBe('upload_interrupted');
    await expectWhole(app);
    await upload(app.blobs);
    await expect(seal()).resolves.toMatchObject({ added: 1 });
    await collectGarbage(job);
    expect(await has('wanted')).toBe(true);
  });

  it('an upload that is registered before the removal keeps its bytes', async () => {
    const { app, job, upload, seal, has } = await prepareRace();
    await upload(app.blobs);
    expect(await collectGarbage(job)).toEqual({ versions: 0, blobs: 0 });
    expect(await has('wanted')).toBe(true);
    await expect(seal()).resolves.toMatchObject({ added: 1 });
  });

  it('never take a byte from a sealed version or from a row, whatever runs at the same time', async () => {
    const { app, context, site, job } = await prepareCollecting();
    // A second node has its own connections; SQLite serves only one process.
    const secondDb = isPostgres(app.db) ? openDatabase(app.config.databaseUrl) : app.db;
    const nodes = [app, { ...app, db: secondDb }];
    let run = 0;
    const collections = new Set<Promise<unknown>>();
    const collectAs = (here: App) => {
      const collection = collectGarbage({ ...job, app: here }).finally(() => collections.delete(collection));
      collections.add(collection);
      return collection;
    };
    const act = async (step: Step, picks: number[], node: number): Promise<void> => {
      const here = nodes[node] ?? app;
      const as = { ...context, app: here };
      const files = Object.fromEntries(picks.map((pick) => [`${pick}.txt`, `run ${run} content ${pick}`]));
      switch (step) {
        case 'deploy':
          await deployTestFiles(as, site.id, files);
          return;
        case 'abandon':
          await uploadTestVersion(as, site.id, files);
          return;
        case 'forget': {
          const { items } = await listVersions(as, { site_id: site.id });
          const old = items.find((version) => version.sealed_at !== null && !version.is_current);
          if (old) await here.db.deleteFrom('site_versions').where('id', '=', old.id).execute();
          return;
        }
        case 'day':
          // No removal takes a day.
          while (collections.size > 0) await Promise.allSettled(collections);
          app.clock.advance(25 * HOUR);
          return;
        case 'collect':
          await collectAs(here);
          return;
        case 'crash': {
          const blobs: BlobStore = Object.assign(Object.create(here.blobs), {
            remove: async (sha256: string) => {
              await here.blobs.remove(sha256);
              throw new AppError('conflict');
            },
          });
          await collectAs({ ...here, blobs });
          return;
        }
        case 'sweep':
          await condemnStrayBlobs({ ...job, app: here });
      }
    };
    const step = fc.record({
      step: fc.constantFrom<Step>(
        'deploy',
        'deploy',
        'deploy',
        'abandon',
        'forget',
        'day',
        'day',
        'collect',
        'collect',
        'crash',
        'sweep',
      ),
      picks: fc.uniqueArray(fc.nat(4), { minLength: 1, maxLength: 4 }),
      node: fc.nat(1),
      turns: fc.nat(30),
    });
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16 }), async (steps) => {
          run += 1;
          const done = await Promise.allSettled(
            steps.map(async ({ step: name, picks, node, turns }) => {
              for (let turn = 0; turn < turns; turn += 1) await nextTurn();
              await act(name, picks, node);
            }),
          );
          for (const result of done) {
            if (result.status === 'fulfilled') continue;
            if (!(result.reason instanceof AppError) || !ACCEPTED.has(result.reason.code))
              throw result.reason;
          }
          await expectWhole(app);
        }),
        { numRuns: 12, endOnFailure: true },
      );
    } finally {
      if (secondDb !== app.db) await secondDb.destroy();
    }
  });
});

/** Everything that an organization has is there, and every sealed version has all its rows. */
async function expectWhole(app: TestApp): Promise<void> {
  const rows = await app.db.selectFrom('organization_blobs').select('sha256').distinct().execute();
  const lost = [];
  for (const { sha256 } of rows) if (!(await app.blobs.has(sha256, 'identity'))) lost.push(sha256);
  expect(lost, 'content without bytes').toEqual([]);
  const incomplete = await app.db
    .selectFrom('version_files')
    .innerJoin('site_versions', 'site_versions.id', 'version_files.version_id')
    .leftJoin('blobs', (join) =>
      join.onRef('blobs.sha256', '=', 'version_files.sha256').on('blobs.condemned_at', 'is', null),
    )
    .leftJoin('organization_blobs', 'organization_blobs.sha256', 'version_files.sha256')
    .select('version_files.sha256')
    .where('site_versions.sealed_at', 'is not', null)
    .where((eb) => eb.or([eb('blobs.sha256', 'is', null), eb('organization_blobs.sha256', 'is', null)]))
    .execute();
  expect(incomplete, 'content of sealed versions without a row').toEqual([]);
}
