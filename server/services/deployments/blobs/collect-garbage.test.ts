import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Trx } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { BlobStore } from '#server/store/blob-store.ts';
import { auditRows } from '#tests/support/app/audit.ts';
import { deployTestFiles, manifestOf, sha256Of, uploadTestVersion } from '#tests/support/app/deploy.ts';
import { prepareCollecting } from '#tests/support/server/collecting.ts';
import { createSite } from '../../sites/create-site.ts';
import { deleteSite } from '../../sites/delete-site.ts';
import { purgeDeletedSites } from '../../sites/purge-deleted-sites.ts';
import { encodeVersions } from '../encodings/encode-versions.ts';
import { listVersions } from '../list-versions.ts';
import { openVersion } from '../open-version.ts';
import { removeUnusedRuleSets } from '../rule-sets/remove-unused-rule-sets.ts';
import { storeRuleSet } from '../rule-sets/store-rule-set.ts';
import { REMOVAL_CLAIM_MS } from '../rules.ts';
import { sealVersion } from '../seal-version.ts';
import { collectGarbage, LOOKED_AT_ONCE } from './collect-garbage.ts';
import { condemnStrayBlobs } from './condemn-stray-blobs.ts';
import { uploadBlob } from './upload-blob.ts';

const HOUR = 60 * 60 * 1000;

describe('garbage collection', () => {
  it('discards a version that has not been touched for a day, with its content, and records it', async () => {
    const { app, context, site, job, has } = await prepareCollecting();
    await uploadTestVersion(context, site.id, { 'index.html': 'abandoned' });
    app.clock.advance(23 * HOUR);
    expect(await collectGarbage(job)).toEqual({ versions: 0, blobs: 0 });
    app.clock.advance(2 * HOUR);
    expect(await collectGarbage(job)).toEqual({ versions: 1, blobs: 1 });
    expect((await listVersions(context, { site_id: site.id })).items).toEqual([]);
    expect(await has('abandoned')).toBe(false);
    expect((await auditRows(context, site.id)).at(-1)).toMatchObject({
      action: 'version.expire',
      actor_kind: 'job',
    });
  });

  it('finds what is unused among much that is in use', async () => {
    const { app, context, site, job, has } = await prepareCollecting();
    const contents = Array.from({ length: 5 }, (_, at) => `abandoned ${at}`);
    await uploadTestVersion(context, site.id, Object.fromEntries(contents.map((each) => [each, each])));
    app.clock.advance(25 * HOUR);
    const now = app.clock.now();
    const young = { size: 1, created_at: now, touched_at: now, condemned_at: null, removal_started_at: null };
    for (let at = 0; at < 2 * LOOKED_AT_ONCE; at += 500) {
      const rows = Array.from({ length: 500 }, (_, index) => ({
        sha256: sha256Of(`young ${at + index}`),
        ...young,
      }));
      await app.db.insertInto('blobs').values(rows).execute();
    }
    expect(await collectGarbage(job)).toEqual({ versions: 1, blobs: contents.length });
    for (const content of contents) expect(await has(content)).toBe(false);
    const { left } = await app.db
      .selectFrom('blobs')
      .select(({ fn }) => fn.countAll<number>().as('left'))
      .executeTakeFirstOrThrow();
    expect(left).toBe(2 * LOOKED_AT_ONCE);
  });

  it('keeps every sealed version, however old', async () => {
    const { app, context, site, job, has } = await prepareCollecting();
    await deployTestFiles(context, site.id, { 'index.html': 'first' });
    await deployTestFiles(context, site.id, { 'index.html': 'second' });
    app.clock.advance(400 * 24 * HOUR);
    expect(await collectGarbage(job)).toEqual({ versions: 0, blobs: 0 });
    expect([await has('first'), await has('second')]).toEqual([true, true]);
  });

  it('removes rules that no version refers to, and keeps the others', async () => {
    const { app, context, site, job } = await prepareCollecting();
    const other = await createSite(context, { name: 'other' });
    const deploy = (id: string, redirects: string) =>
      deployTestFiles(context, id, { 'index.html': 'x', _redirects: redirects });
    await deploy(site.id, '/gone / 301\n');
    await deploy(site.id, '/shared / 301\n');
    await deploy(other.id, '/shared / 301\n');
    const texts = async () =>
      (await app.db.selectFrom('rule_sets').select('redirects').execute()).map(
        ({ redirects }) => JSON.parse(redirects)[0].from,
      );
    app.clock.advance(30 * 24 * HOUR);
    await collectGarbage(job);
    expect((await texts()).sort()).toEqual(['/gone', '/shared']);
    await deleteSite(context, { site_id: site.id });
    app.clock.advance(8 * 24 * HOUR);
    await purgeDeletedSites(job);
    await collectGarbage(job);
    expect(await texts()).toEqual(['/shared']);
  });

  it('removes any number of old unused rules, and keeps young ones for a seal to come', async () => {
    const { app, job } = await prepareCollecting();
    const set = (index: number, touched_at: number) => ({
      sha256: sha256Of(String(index)),
      redirects: '[]',
      headers: '[]',
      touched_at,
    });
    const old = Array.from({ length: 1_200 }, (_, index) => set(index, 0));
    await app.db
      .insertInto('rule_sets')
      .values([...old, set(-1, app.clock.now())])
      .execute();
    await collectGarbage(job);
    expect(await app.db.selectFrom('rule_sets').select('sha256').execute()).toEqual([
      { sha256: sha256Of('-1') },
    ]);
  });

  it('never removes rules while a seal starts to use them', async () => {
    const { app, context, site } = await prepareCollecting();
    const id = await uploadTestVersion(context, site.id, { 'index.html': 'x' });
    const rules = { redirects: [], headers: [{ pattern: '/*', operations: [], lineNumber: 1 }] };
    const store = (trx: Trx) => storeRuleSet(trx, rules, app.clock.now());
    await inTransaction(app.db, store);
    await app.db.updateTable('rule_sets').set({ touched_at: 0 }).execute();
    let collecting = Promise.resolve();
    await inTransaction(app.db, async (trx) => {
      const rules_sha256 = await store(trx);
      collecting = removeUnusedRuleSets(app);
      // It waits for the touch; otherwise it would be done by now, because it does not see the version yet.
      await Promise.race([collecting, delay(300)]);
      await trx.updateTable('site_versions').set({ rules_sha256 }).where('id', '=', id).execute();
    });
    await collecting;
    expect(await app.db.selectFrom('rule_sets').select('sha256').execute()).toHaveLength(1);
  });

  it('keeps an upload that is slow but steady', async () => {
    const { app, context, site, job } = await prepareCollecting();
    const files = { a: 'a', b: 'b', c: 'c' };
    const version = await openVersion(context, { site_id: site.id, files: manifestOf(files) });
    for (const content of Object.values(files)) {
      app.clock.advance(20 * HOUR);
      await collectGarbage(job);
      const input = { site_id: site.id, version_id: version.id, sha256: sha256Of(content) };
      await uploadBlob(context, input, Readable.from([Buffer.from(content)]));
    }
    await expect(sealVersion(context, { site_id: site.id, version_id: version.id })).resolves.toMatchObject({
      added: 3,
    });
  });

  it('collects the content of purged sites unless another site refers to it, encodings included', async () => {
    const { app, context, site, job, has } = await prepareCollecting();
    const text = 'text '.repeat(1000);
    const other = await createSite(context, { name: 'other' });
    await deployTestFiles(context, site.id, { 'a.txt': text, 'b.txt': 'shared' });
    await deployTestFiles(context, other.id, { 'c.txt': 'shared' });
    await encodeVersions(job);
    expect(await app.blobs.has(sha256Of(text), 'br')).toBe(true);
    await deleteSite(context, { site_id: site.id });
    app.clock.advance(6 * 24 * HOUR);
    await purgeDeletedSites(job);
    expect(await collectGarbage(job)).toEqual({ versions: 0, blobs: 0 });
    app.clock.advance(2 * 24 * HOUR);
    await purgeDeletedSites(job);
    expect(await collectGarbage(job)).toEqual({ versions: 0, blobs: 1 });
    expect([await has(text), await has('shared')]).toEqual([false, true]);
    expect(await app.blobs.has(sha256Of(text), 'br')).toBe(false);
    const missing = await openVersion(context, {
      site_id: other.id,
      files: manifestOf({ a: text, b: 'shared' }),
    });
    expect(missing.missing).toEqual([sha256Of(text)]);
  });

  it('finishes what an interrupted collection left', async () => {
    const { app, context, site, job, has } = await prepareCollecting();
    await uploadTestVersion(context, site.id, { 'index.html': 'x' });
    app.clock.advance(25 * HOUR);
    const failing: BlobStore = Object.assign(Object.create(app.blobs), {
      remove: async (sha256: string) => {
        await app.blobs.remove(sha256);
        throw new Error('killed');
      },
    });
    expect(await collectGarbage({ ...job, app: { ...app, blobs: failing } })).toMatchObject({ blobs: 0 });
    expect(await collectGarbage(job), 'while the claim of the first may stand').toMatchObject({ blobs: 0 });
    app.clock.advance(REMOVAL_CLAIM_MS + 1);
    expect(await collectGarbage(job)).toMatchObject({ blobs: 1 });
    expect(await has('x')).toBe(false);
    expect(await app.db.selectFrom('blobs').selectAll().execute()).toEqual([]);
  });

  it('removes everything else when one content cannot be removed', async () => {
    const { app, context, site, job, has } = await prepareCollecting();
    await uploadTestVersion(context, site.id, { 'a.html': 'a', 'b.html': 'b', 'c.html': 'c' });
    app.clock.advance(25 * HOUR);
    const failing: BlobStore = Object.assign(Object.create(app.blobs), {
      remove: async (sha256: string) => {
        if (sha256 === sha256Of('b')) throw new Error('immutable');
        await app.blobs.remove(sha256);
      },
    });
    expect(await collectGarbage({ ...job, app: { ...app, blobs: failing } })).toMatchObject({ blobs: 2 });
    const stuck = await app.db
      .selectFrom('stuck_work')
      .select(['job', 'item', 'attempts', 'error'])
      .execute();
    expect(stuck).toEqual([
      { job: 'collect-garbage', item: sha256Of('b'), attempts: 1, error: 'Error: immutable' },
    ]);
    expect([await has('a'), await has('b'), await has('c')]).toEqual([false, true, false]);
    const rows = await app.db.selectFrom('blobs').select('sha256').execute();
    expect(rows).toEqual([{ sha256: sha256Of('b') }]);
    app.clock.advance(REMOVAL_CLAIM_MS + 1);
    expect(await collectGarbage(job)).toMatchObject({ blobs: 1 });
    expect(await app.db.selectFrom('stuck_work').selectAll().execute()).toEqual([]);
  });

  it('leaves the database available while the store is slow to remove', async () => {
    const { app, context, site, job } = await prepareCollecting();
    await uploadTestVersion(context, site.id, { 'index.html': 'x' });
    app.clock.advance(25 * HOUR);
    let isAsked: () => void = () => undefined;
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const silent: BlobStore = Object.assign(Object.create(app.blobs), {
      remove: async () => {
        isAsked();
        await answered;
      },
    });
    const collecting = collectGarbage({ ...job, app: { ...app, blobs: silent } });
    await asked;
    await expect(createSite(context, { name: 'meanwhile' })).resolves.toMatchObject({ name: 'meanwhile' });
    answer();
    expect(await collecting).toMatchObject({ blobs: 1 });
  });

  it('may not call the store inside a transaction, and neither may other code', async () => {
    const { app, has } = await prepareCollecting();
    await expect(inTransaction(app.db, () => has('x'))).rejects.toThrow('inside a transaction');
    await expect(has('x')).resolves.toBe(false);
  });

  it('finds bytes that a crash left without a row, and leaves young ones alone', async () => {
    const { app, context, site, job, has } = await prepareCollecting();
    await deployTestFiles(context, site.id, { 'index.html': 'known' });
    await app.blobs.put(sha256Of('stray'), 'identity', Buffer.from('stray'), { size: 5 });
    expect(await condemnStrayBlobs(job)).toEqual({ condemned: 0 });
    // The store's own clock is the machine's, which is ahead of the test's by less than this.
    app.clock.advance(Date.now() - app.clock.now() + 25 * HOUR);
    expect(await condemnStrayBlobs(job, AbortSignal.abort())).toEqual({ condemned: 0 });
    expect(await condemnStrayBlobs(job)).toEqual({ condemned: 1 });
    expect(await collectGarbage(job)).toMatchObject({ blobs: 1 });
    expect([await has('known'), await has('stray')]).toEqual([true, false]);
  });
});
