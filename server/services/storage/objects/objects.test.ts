import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import { AppError } from '#server/errors.ts';
import type { S3Bucket } from '#server/s3/ports.ts';
import { countTurns } from '#tests/support/app/count-turns.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { A_CLIENT, ANY_OBJECT, s3PortsOf, withBucket } from '#tests/support/storage/buckets.ts';
import { createCredential } from '../../credentials/create-credential.ts';
import { createBucket } from '../buckets/create-bucket.ts';
import { foldBucketChanges } from '../buckets/fold-bucket-changes.ts';
import { getBucket } from '../buckets/get-bucket.ts';
import { removePieces } from '../pieces/remove-pieces.ts';
import { removeStrayPieces } from '../pieces/remove-stray-pieces.ts';
import { STRAY_PIECE_KEPT_MS } from '../rules.ts';
import { expireUploads } from '../uploads/expire-uploads.ts';

const going = () => new AbortController().signal;

/** Returns the bucket of another organization. */
async function anotherBucket(app: TestApp): Promise<S3Bucket> {
  const { context } = await createTestPerson(app);
  await createBucket(context, { name: 'of-another' });
  const bucket = await s3PortsOf(app).findBucket('of-another');
  if (bucket === null) throw new Error('the bucket is not active');
  return bucket;
}

describe('objects of a bucket', () => {
  it('are read as last written, and counted', async () => {
    const { context, bucketId: bucket_id, put, read, ports, bucket } = await withBucket('plain');
    await put('a', 'first');
    await put('a', 'second one');
    await put('b', 'x');
    expect(await read('a')).toBe('second one');
    expect(await getBucket(context, { bucket_id })).toMatchObject({ object_count: 2, stored_bytes: 11 });
    await foldBucketChanges(context, going());
    expect(await getBucket(context, { bucket_id })).toMatchObject({ object_count: 2, stored_bytes: 11 });
    await ports.deleteObject(bucket, 'a', ANY_OBJECT);
    await ports.deleteObject(bucket, 'a', ANY_OBJECT);
    expect(await read('a')).toBeNull();
    expect(await getBucket(context, { bucket_id })).toMatchObject({ object_count: 1, stored_bytes: 1 });
  });

  it('are listed in the order of their UTF-8 bytes, from any position', async () => {
    const { put, ports, bucket } = await withBucket('ordered');
    // In UTF-16 the emoji would come before U+FFFD.
    const keys = ['a', 'a/', 'a/b', 'aé', 'b', 'é', '\ufffd', '😀'];
    for (const key of [...keys].reverse()) await put(key, 'x');
    const list = async (prefix: string, after: string, limit = 100) =>
      (await ports.listObjects(bucket, { prefix, after, limit })).map(({ key }) => key);
    expect(await list('', '')).toEqual(keys);
    expect(await list('a', '')).toEqual(['a', 'a/', 'a/b', 'aé']);
    expect(await list('a', 'a/')).toEqual(['a/b', 'aé']);
    expect(await list('', 'é', 1)).toEqual(['\ufffd']);
    expect(await list('%', '')).toEqual([]);
  });

  it('are listed one of each folder, in the order of their UTF-8 bytes, for any prefix and delimiter', async () => {
    const { app, put, ports, bucket } = await withBucket('folded');
    await put('k', 'x');
    const row = await app.db.selectFrom('objects').selectAll().executeTakeFirstOrThrow();
    const random = seededRandom(7);
    const letters = ['a', 'b', '/', '/', '//', 'é', '\ufffd', '😀', '\u{10ffff}', 'e\u0301', '-', '%', '_'];
    const word = (length: number) =>
      Array.from({ length }, () => letters[random.below(letters.length)]).join('');
    const keys = [...new Set(Array.from({ length: 400 }, () => `k${word(1 + random.below(8))}`)), 'k'];
    const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
    const sorted = [...keys].sort(compare);
    const rows = sorted.filter((key) => key !== 'k').map((key) => ({ ...row, key }));
    await app.db.insertInto('objects').values(rows).execute();
    for (let round = 0; round < 200; round += 1) {
      const prefix = ['', 'k', `k${word(1)}`, `k${word(2)}`][random.below(4)] ?? '';
      const delimiter = ['/', '//', 'a', 'é', '😀', '/a', '%'][random.below(7)] ?? '';
      const after = ['', prefix, sorted[random.below(sorted.length)], `k${word(3)}`][random.below(4)] ?? '';
      const limit = 1 + random.below(50);
      const folders = new Set<string>();
      const expected = sorted
        .filter((key) => key.startsWith(prefix) && compare(key, after) > 0)
        .filter((key) => {
          const at = key.indexOf(delimiter, prefix.length);
          const folder = key.slice(0, at + delimiter.length);
          return at === -1 || (!folders.has(folder) && folders.add(folder));
        });
      const query = { prefix, delimiter, after, limit };
      const listed = (await ports.listObjects(bucket, query)).map(({ key }) => key);
      expect(listed, JSON.stringify(query)).toEqual(expected.slice(0, limit));
    }
  });

  it('that one request deletes by the hundred, even none, let others have turns', async () => {
    const { ports, bucket } = await withBucket('emptied');
    const { turns } = await countTurns(async () => {
      for (let n = 0; n < 100; n += 1) await ports.deleteObject(bucket, `nothing ${n}`, ANY_OBJECT);
    });
    expect(turns).toBeGreaterThan(10);
  });

  it('that one request lists page by page let others have turns', async () => {
    const { ports, bucket } = await withBucket('folders');
    const { turns } = await countTurns(async () => {
      for (let n = 0; n < 100; n += 1) await ports.listObjects(bucket, { prefix: '', after: '', limit: 8 });
    });
    expect(turns).toBeGreaterThan(10);
  });

  it('of one organization are changed in turns with those of others', async () => {
    const { put, ports, app } = await withBucket('busy-one');
    const other = await anotherBucket(app);
    const ended: string[] = [];
    const note = (owner: string) => () => void ended.push(owner);
    const many = Array.from({ length: 200 }, (_, n) => put(`key ${n}`, 'x').then(note('one')));
    const one = ports.deleteObject(other, 'nothing', ANY_OBJECT).then(note('other'));
    await Promise.all([...many, one]);
    expect(ended.indexOf('other')).toBeLessThan(100);
  });

  it('written concurrently under one key: one stays, complete, and the others are released', async () => {
    const { app, context, bucketId: bucket_id, put, read } = await withBucket('busy');
    const contents = Array.from({ length: 20 }, (_, index) => `content ${index}`);
    await Promise.all(contents.map((content) => put('key', content)));
    expect(contents).toContain(await read('key'));
    expect(await getBucket(context, { bucket_id })).toMatchObject({ object_count: 1 });
    expect(await app.db.selectFrom('object_pieces').select('id').execute()).toHaveLength(1);
    expect(await app.db.selectFrom('removed_pieces').select('id').execute()).toHaveLength(19);
  });

  it('written only if absent: of twenty at once, one is stored', async () => {
    const { put } = await withBucket('first-come');
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => put('key', `${index}`, { kind: 'absent' })),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(19);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'PreconditionFailed' });
  });

  it('written over a known one: only while that one is current', async () => {
    const { put, read } = await withBucket('careful');
    await put('key', 'one');
    await put('key', 'two', { kind: 'matches', etag: 'one' });
    await expect(put('key', 'three', { kind: 'matches', etag: 'one' })).rejects.toMatchObject({
      code: 'PreconditionFailed',
    });
    await expect(put('none', 'x', { kind: 'matches', etag: '*' })).rejects.toMatchObject({
      code: 'NoSuchKey',
    });
    expect(await read('key')).toBe('two');
  });

  it('written unless a known one is current: over any other, and where there is none', async () => {
    const { put, read } = await withBucket('unless');
    await put('key', 'one', { kind: 'differs', etag: 'one' });
    await expect(put('key', 'two', { kind: 'differs', etag: 'one' })).rejects.toMatchObject({
      code: 'PreconditionFailed',
    });
    await put('key', 'two', { kind: 'differs', etag: 'other' });
    expect(await read('key')).toBe('two');
  });

  it('deleted only while known: one that is gone has no entity tag', async () => {
    const { ports, bucket, put } = await withBucket('gone');
    await put('key', 'one');
    const deleting = (more: object) => ports.deleteObject(bucket, 'key', { ...ANY_OBJECT, ...more });
    await expect(deleting({ etag: 'other' })).rejects.toMatchObject({ code: 'PreconditionFailed' });
    await deleting({ etag: 'one' });
    await expect(deleting({ etag: 'one' })).rejects.toMatchObject({ code: 'NoSuchKey' });
    await expect(deleting({ etag: '*' })).rejects.toMatchObject({ code: 'NoSuchKey' });
    await deleting({ size: 7 });
  });

  it('are rejected beyond the organization’s limit, and the existing one stays', async () => {
    const { put, read } = await withBucket('full', { LIMIT_BUCKET_BYTES: '10' });
    await put('key', '12345678');
    await expect(put('other', '123')).rejects.toMatchObject({ code: 'QuotaExceeded' });
    await expect(put('key', '12345678901')).rejects.toMatchObject({ code: 'QuotaExceeded' });
    await put('key', '1234567890');
    expect(await read('key')).toBe('1234567890');
  });
});

const empty = { headers: {}, metadata: {}, tags: [] };
const part = (id: string, partNumber: number) => ({
  ...{ id, partNumber, size: 1, etag: id, checksum: null, content: null },
});

describe('unreferenced content', () => {
  it('is kept for an hour for its readers, and then removed', async () => {
    const { app, context, put, read } = await withBucket('tidy');
    await put('key', 'old');
    await put('key', 'new');
    const [old] = await app.db.selectFrom('removed_pieces').select('id').execute();
    expect(await removePieces(context, going())).toBe(0);
    const reading = await app.blobs.pieces.open(old?.id ?? '');
    expect(reading).not.toBeNull();
    await reading?.close();
    app.clock.advance(3_600_001);
    expect(await removePieces(context, going())).toBe(1);
    expect(await app.blobs.pieces.open(old?.id ?? '')).toBeNull();
    expect(await read('key')).toBe('new');
  });

  it('is none after a refusal, whether by a condition or by the limit', async () => {
    const { app, ports, bucket, put, read } = await withBucket('refused', { LIMIT_BUCKET_BYTES: '10' });
    await put('key', '12345678');
    await expect(put('key', 'again', { kind: 'absent' })).rejects.toMatchObject({
      code: 'PreconditionFailed',
    });
    await expect(put('none', 'x', { kind: 'matches', etag: '*' })).rejects.toMatchObject({
      code: 'NoSuchKey',
    });
    await expect(put('other', '123')).rejects.toMatchObject({ code: 'QuotaExceeded' });
    const upload = await ports.createUpload(bucket, A_CLIENT, { key: 'big', checksum: null, ...empty });
    const content = Readable.from([Buffer.from('123')]);
    const piece = await app.blobs.pieces.receive(content, { announcedBytes: 3 });
    await piece.keep();
    const named = { ...part(piece.id, 1), size: 3 };
    await expect(ports.putPart(bucket, upload, named)).rejects.toMatchObject({ code: 'QuotaExceeded' });
    expect(await read('key')).toBe('12345678');
    expect(await Array.fromAsync(app.blobs.pieces.list())).toHaveLength(1);
  });

  it('that never had a row is found after a day, and nothing else is', async () => {
    const { app, context, put, read } = await withBucket('stray');
    await put('key', 'kept');
    const { pieces } = app.blobs;
    const stray = await pieces.receive(Readable.from([Buffer.from('lost')]), { announcedBytes: 4 });
    await stray.keep();
    // Files have the machine's time; the clock of the test is another.
    app.clock.advance(Date.now() - app.clock.now());
    expect(await removeStrayPieces(context, going())).toBe(0);
    app.clock.advance(STRAY_PIECE_KEPT_MS + 60_000);
    expect(await removeStrayPieces(context, going())).toBe(1);
    expect(await pieces.open(stray.id)).toBeNull();
    expect(await read('key')).toBe('kept');
  });
});

describe('a multipart upload', () => {
  it('becomes an object of the listed parts, and releases the others', async () => {
    const { app, ports, bucket } = await withBucket('parts');
    const upload = await ports.createUpload(bucket, A_CLIENT, { key: 'big', checksum: null, ...empty });
    for (const [id, number] of [
      ['p1', 1],
      ['p2', 2],
      ['p3', 3],
      ['p2b', 2],
    ] as const) {
      await ports.putPart(bucket, upload, part(id, number));
    }
    const completed = { etag: 'e-2', checksum: null, pieceIds: ['p1', 'p2b'], size: 2 };
    const object = await ports.completeUpload(bucket, upload, completed, { kind: 'none' });
    expect(object).toMatchObject({ key: 'big', contentId: upload.id, partCount: 2, size: 2 });
    expect((await ports.listPieces(bucket, upload.id)).map(({ id }) => id)).toEqual(['p1', 'p2b']);
    const given = await app.db.selectFrom('removed_pieces').select('id').orderBy('id').execute();
    expect(given.map(({ id }) => id)).toEqual(['p2', 'p3']);
    expect(await ports.findUpload(bucket, 'big', upload.id)).toBeNull();
    await expect(ports.putPart(bucket, upload, part('p4', 4))).rejects.toMatchObject({
      code: 'NoSuchUpload',
    });
  });

  it('takes its room while it is under way, and no more of it when it is completed', async () => {
    const { app, ports, bucket, put, read } = await withBucket('roomy', { LIMIT_BUCKET_BYTES: '10' });
    const upload = await ports.createUpload(bucket, A_CLIENT, { key: 'big', checksum: null, ...empty });
    await ports.putPart(bucket, upload, { ...part('p1', 1), size: 8 });
    // What this process has counted itself is forgotten by now.
    app.clock.advance(60_000);
    await expect(put('other', '123')).rejects.toMatchObject({ code: 'QuotaExceeded' });
    const completed = { etag: 'e-1', checksum: null, pieceIds: ['p1'], size: 8 };
    await ports.completeUpload(bucket, upload, completed, { kind: 'none' });
    await put('other', '12');
    expect(await read('other')).toBe('12');
  });

  it('and each of its parts counts like an object, however small they are', async () => {
    const { ports, bucket, put } = await withBucket('many', { LIMIT_BUCKET_OBJECTS: '4' });
    await put('one', '');
    const upload = await ports.createUpload(bucket, A_CLIENT, { key: 'big', checksum: null, ...empty });
    await ports.putPart(bucket, upload, part('p1', 1));
    await ports.putPart(bucket, upload, part('p2', 2));
    const start = () => ports.createUpload(bucket, A_CLIENT, { key: 'other', checksum: null, ...empty });
    const refusal = { code: 'QuotaExceeded' };
    await start();
    await expect(start()).rejects.toMatchObject(refusal);
    await expect(put('two', '')).rejects.toMatchObject(refusal);
    await expect(ports.putPart(bucket, upload, part('p3', 3))).rejects.toMatchObject(refusal);
    // What is there can be replaced.
    await put('one', 'again');
    await ports.abortUpload(bucket, upload);
    await put('two', '');
  });

  it('is aborted after a week, and completed ones are not', async () => {
    const { app, context, ports, bucket } = await withBucket('abandoned');
    const upload = await ports.createUpload(bucket, A_CLIENT, { key: 'never', checksum: null, ...empty });
    await ports.putPart(bucket, upload, part('p1', 1));
    app.clock.advance(6 * DAY_MS);
    expect(await expireUploads(context, going())).toBe(0);
    app.clock.advance(DAY_MS + 1);
    expect(await expireUploads(context, going())).toBe(1);
    expect(await ports.findUpload(bucket, 'never', upload.id)).toBeNull();
    expect(await app.db.selectFrom('removed_pieces').select('id').execute()).toEqual([{ id: 'p1' }]);
  });
});

describe('a credential at the S3 service', () => {
  it('can access exactly the buckets of its scopes', async () => {
    const { app, context, bucketId } = await withBucket('reached');
    const { credential } = await createCredential(context, {
      name: 'reader',
      scopes: [{ resource_type: 'bucket', resource_id: bucketId, permissions: ['read'] }],
    });
    const access = await s3PortsOf(app).findAccess(credential.public_key);
    expect(access?.mayReach(bucketId, 'read')).toBe(true);
    expect(access?.mayReach(bucketId, 'write')).toBe(false);
    expect(access?.mayReach('another', 'read')).toBe(false);
  });
});

it('a store that is not called because it does not answer is an outage to clients, not our error', async () => {
  const { isOutage } = s3PortsOf(await createTestApp());
  expect(isOutage(new AppError('service_unavailable', { seconds: 5 }))).toBe(true);
  expect(isOutage(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))).toBe(true);
  expect(isOutage(new TypeError('undefined is not a function'))).toBe(false);
});
