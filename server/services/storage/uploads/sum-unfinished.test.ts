import { expect, it } from 'vitest';
import { newId } from '#server/ids.ts';
import { findBucketUse } from '#server/services/limits/limit-queries.ts';
import { countTurns } from '#tests/support/app/count-turns.ts';
import { withBucket } from '#tests/support/storage/buckets.ts';
import { sumUnfinished } from './sum-unfinished.ts';

const INSERTED_AT_ONCE = 500;

it('the unfinished uploads of an organization are summed up in turns, with the same result', async () => {
  const { app, bucketId, context, put } = await withBucket('unfinished');
  await put('finished', 'content');
  const upload = {
    ...{ bucket_id: bucketId, headers: '{}', metadata: '{}', tags: '[]', created_at: 0 },
    ...{ checksum_algorithm: null, checksum_type: null },
    ...{ initiator_kind: null, initiator_id: null, initiator_name: null },
  };
  const uploads = Array.from({ length: 900 }, (_, at) => ({ ...upload, key: `key ${at % 7}`, id: newId() }));
  const part = { bucket_id: bucketId, etag: '', checksum: null, created_at: 0, content: null };
  const parts = uploads.flatMap(({ id }, at) =>
    Array.from({ length: at === 5 ? 3_000 : at % 3 }, (_, number) => {
      return { ...part, content_id: id, part_number: number + 1, id: newId(), size: at };
    }),
  );
  const batches = (length: number) =>
    Array.from({ length: Math.ceil(length / INSERTED_AT_ONCE) }, (_, at) => at * INSERTED_AT_ONCE);
  for (const at of batches(uploads.length)) {
    await app.db
      .insertInto('object_uploads')
      .values(uploads.slice(at, at + INSERTED_AT_ONCE))
      .execute();
  }
  for (const at of batches(parts.length)) {
    await app.db
      .insertInto('object_pieces')
      .values(parts.slice(at, at + INSERTED_AT_ONCE))
      .execute();
  }
  const organizationId = context.organization.id;
  const { result, turns } = await countTurns(() => sumUnfinished(app.db, organizationId));
  const { bytes, unfinished } = await findBucketUse(app.db, organizationId);
  expect([result.bytes, result.items]).toEqual([bytes - 'content'.length, unfinished]);
  expect(result.items).toBe(parts.length + 300);
  expect(result.reads).toBeGreaterThan(4);
  expect(turns).toBeGreaterThanOrEqual(result.reads - 1);
});
