import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { newId } from '#server/ids.ts';
import type { S3Upload } from '#server/s3/ports.ts';
import { auditRows } from '#tests/support/app/audit.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { A_CLIENT, type BucketWorld, beginUpload, withBucket } from '#tests/support/storage/buckets.ts';
import { consoleKeys } from '../buckets/console-access.ts';
import { deleteBucket } from '../buckets/delete-bucket.ts';
import { getStorageUsage } from '../usage/get-storage-usage.ts';
import { abandonIdleUploads } from './abandon-idle-uploads.ts';
import { abandonRequestedUploads } from './abandon-requested-uploads.ts';
import { abandonUpload } from './abandon-upload.ts';
import { getUploadTotals } from './get-upload-totals.ts';
import { listUploads } from './list-uploads.ts';
import { abortIdleUpload } from './write-upload.ts';

const going = () => new AbortController().signal;
const hundred = 'x'.repeat(100);

async function prepare(name: string) {
  const world = await withBucket(name);
  const { app, bucket, bucketId, context, ports } = world;
  const input = { bucket_id: bucketId };
  return {
    ...world,
    input,
    begin: (key: string, ...parts: string[]) => beginUpload(app, name, { key, parts }),
    /** Another part of it comes. */
    goOn: (upload: S3Upload) =>
      ports.putPart(bucket, upload, {
        id: newId(),
        partNumber: 1,
        size: 1,
        etag: 'x',
        checksum: null,
        content: Buffer.from('x'),
      }),
    keys: async () => (await listUploads(context, input)).items.map(({ key }) => key),
    totals: () => getUploadTotals(context, input),
    abandon: (upload_id: string) => abandonUpload(context, { ...input, upload_id }),
    byteHours: async () => (await getStorageUsage(context, input)).summary.byte_hours,
  };
}

/** Whether each piece is named by a row or waits to be removed. */
async function accountOf({ app }: BucketWorld) {
  const named = await app.db.selectFrom('object_pieces').select('id').execute();
  const changes = await app.db.selectFrom('bucket_changes').select('bytes').execute();
  return { named: named.length, change: changes.reduce((sum, { bytes }) => sum + Number(bytes), 0) };
}

describe('unfinished uploads', () => {
  it('are listed by key with their parts, by whom they were begun, and when they expire', async () => {
    const { app, context, bucketId, ports, bucket, input, begin, totals } = await prepare('listed');
    const { actor, organization } = context;
    if (actor.kind !== 'person') throw new Error('nobody');
    const started = app.clock.now();
    await begin('b', 'one', 'four');
    app.clock.advance(HOUR_MS);
    const { accessKeyId } = consoleKeys(app, {
      organizationId: organization.id,
      userId: actor.userId,
      bucketId,
    });
    const byConsole = { accessKeyId, credentialId: accessKeyId, credentialName: 'console' };
    const told = { headers: {}, metadata: {}, tags: [], checksum: null };
    await ports.createUpload(bucket, byConsole, { key: 'a', ...told });
    const old = await begin('c');
    await app.db
      .updateTable('object_uploads')
      .set({ initiator_kind: null, initiator_id: null, initiator_name: null })
      .where('id', '=', old.id)
      .execute();
    const { items, next_cursor } = await listUploads(context, input);
    expect(next_cursor).toBeNull();
    expect(items).toMatchObject([
      { key: 'a', part_count: 0, stored_bytes: 0, last_part_at: null, started_by: { name: actor.login } },
      {
        key: 'b',
        part_count: 2,
        stored_bytes: 7,
        started_at: new Date(started).toISOString(),
        last_part_at: new Date(started).toISOString(),
        expires_at: new Date(started + 7 * DAY_MS).toISOString(),
        started_by: { kind: 'credential', id: A_CLIENT.credentialId, name: A_CLIENT.credentialName },
      },
      { key: 'c', started_by: null },
    ]);
    expect(await totals()).toEqual({
      upload_count: 3,
      stored_bytes: 7,
      idle_upload_count: 0,
      idle_stored_bytes: 0,
      abandoning: null,
    });
  });

  it('are summed once for all who ask while there are many, and anew soon after', async () => {
    const { app, begin, totals } = await prepare('asked');
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    await begin('few');
    expect((await totals()).upload_count).toBe(1);
    await begin('fewer');
    expect((await totals()).upload_count).toBe(2);
    const [row] = await app.db.selectFrom('object_uploads').selectAll().execute();
    if (row === undefined) throw new Error('there is an upload');
    const many = Array.from({ length: 1_000 }, () => ({ ...row, id: newId() }));
    for (const part of [many.slice(0, 500), many.slice(500)]) {
      await app.db.insertInto('object_uploads').values(part).execute();
    }
    expect((await totals()).upload_count).toBe(1_002);
    await app.db.deleteFrom('object_uploads').execute();
    const asked = await Promise.all(Array.from({ length: 50 }, totals));
    expect(asked.map(({ upload_count }) => upload_count)).toEqual(Array.from({ length: 50 }, () => 1_002));
    vi.advanceTimersByTime(50);
    expect((await totals()).upload_count).toBe(0);
  });

  it('are listed page by page, several of a key too', async () => {
    const { context, input, begin } = await prepare('paged');
    const longest = 'é'.repeat(512);
    for (const key of ['a b', 'a b', 'line\nbreak', longest]) await begin(key);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listUploads(context, { ...input, limit: 1, cursor });
      seen.push(...page.items.map(({ key }) => key));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(['a b', 'a b', 'line\nbreak', longest]);
    for (const wrong of ['AA', '_w', '']) {
      await expect(listUploads(context, { ...input, cursor: wrong })).rejects.toMatchObject({
        code: 'invalid_input',
      });
    }
  });

  it('are abandoned one by one: parts removed, counted until then, and recorded', async () => {
    const world = await prepare('one');
    const { app, context, bucketId, bucket, ports, begin, keys, abandon, byteHours } = world;
    const upload = await begin('a', hundred);
    await begin('b');
    app.clock.advance(HOUR_MS);
    await abandon(upload.id);
    expect(await keys()).toEqual(['b']);
    expect(await accountOf(world)).toEqual({ named: 0, change: 0 });
    app.clock.advance(HOUR_MS);
    expect(await byteHours()).toBe(100);
    await expect(abandon(upload.id)).rejects.toMatchObject({ code: 'upload_not_found' });
    await expect(
      ports.completeUpload(
        bucket,
        upload,
        { etag: '', checksum: null, pieceIds: [], size: 0 },
        { kind: 'none' },
      ),
    ).rejects.toMatchObject({ code: 'NoSuchUpload' });
    const rows = (await auditRows(context, bucketId)).filter(({ action }) => action.includes('abandon'));
    expect(rows).toMatchObject([{ action: 'bucket.abandon_upload' }]);
    expect(rows[0]?.before).toEqual({ name: 'one', key: 'a', stored_bytes: 100 });
  });

  it('that are idle for a day are abandoned by a job, which says how far it is', async () => {
    const world = await prepare('idle');
    const { app, context, bucketId, input, begin, goOn, keys, totals, byteHours } = world;
    for (let index = 0; index < 60; index += 1) await begin(`old ${index}`, 'x');
    const busy = await begin('going on');
    app.clock.advance(DAY_MS + 1);
    await goOn(busy);
    await begin('young');
    expect(await totals()).toMatchObject({ upload_count: 62, idle_upload_count: 60, idle_stored_bytes: 60 });
    expect(await abandonIdleUploads(context, input)).toMatchObject({
      upload_count: 62,
      abandoning: { upload_total: 60, removed_uploads: 0 },
    });
    // The process stops within the first batch; the job continues after the next start.
    const stop = new AbortController();
    const now = () => {
      stop.abort();
      return app.clock.now();
    };
    expect(await abandonRequestedUploads({ ...context, app: { ...app, clock: { now } } }, stop.signal)).toBe(
      49,
    );
    expect(await totals()).toMatchObject({ abandoning: { upload_total: 60, removed_uploads: 49 } });
    expect(await abandonRequestedUploads(context, going())).toBe(11);
    expect(await keys()).toEqual(['going on', 'young']);
    expect(await totals()).toMatchObject({ upload_count: 2, idle_upload_count: 0, abandoning: null });
    // Again there is nothing to do, and nothing to record.
    expect(await abandonIdleUploads(context, input)).toMatchObject({ abandoning: null });
    const rows = (await auditRows(context, bucketId)).filter(({ action }) => action.includes('abandon'));
    expect(rows.map(({ action, before }) => [action, before])).toEqual([
      ['bucket.abandon_uploads', { name: 'idle', upload_count: 60, stored_bytes: 60 }],
    ]);
    expect(await byteHours()).toBe(60 * 24);
  });

  it('that go on after the request are kept', async () => {
    const { app, bucketId, context, input, begin, goOn, keys, totals } = await prepare('woken');
    const woken = await begin('woken');
    await begin('idle');
    app.clock.advance(2 * DAY_MS);
    await abandonIdleUploads(context, input);
    await goOn(woken);
    await abandonRequestedUploads(context, going());
    expect(await keys()).toEqual(['woken']);
    // Also when the part comes after the job has looked at it.
    expect(await abortIdleUpload(app, bucketId, woken, app.clock.now() - DAY_MS)).toBe(false);
    expect(await keys()).toEqual(['woken']);
    expect((await totals()).abandoning).toBeNull();
  });

  it('are for those who may write the bucket, within the organization, its features and active buckets', async () => {
    const { app, context, input, begin, abandon } = await prepare('rights');
    const { id: upload_id } = await begin('a');
    const reader = { ...context, organization: { ...context.organization, permission: 'read' as const } };
    const writer = { ...context, organization: { ...context.organization, permission: 'write' as const } };
    const stranger = (await createTestPerson(app)).context;
    const without = { ...context, organization: { ...context.organization, features: [] } };
    const one = { ...input, upload_id };
    await expect(abandonUpload(reader, one)).rejects.toMatchObject({ code: 'permission_required' });
    await expect(abandonIdleUploads(reader, input)).rejects.toMatchObject({ code: 'permission_required' });
    expect((await listUploads(reader, input)).items).toHaveLength(1);
    for (const ask of [
      (who: typeof context) => listUploads(who, input),
      (who: typeof context) => getUploadTotals(who, input),
      (who: typeof context) => abandonUpload(who, one),
      (who: typeof context) => abandonIdleUploads(who, input),
    ]) {
      await expect(ask(stranger)).rejects.toMatchObject({ code: 'bucket_not_found' });
      await expect(ask(without)).rejects.toMatchObject({ code: 'feature_missing' });
    }
    await abandonUpload(writer, one);
    await deleteBucket(context, input);
    await expect(abandon(upload_id)).rejects.toMatchObject({ code: 'bucket_not_active' });
  });
});
