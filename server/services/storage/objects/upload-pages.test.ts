import { expect, it } from 'vitest';
import { newId } from '#server/ids.ts';
import { listFoldedUploads } from '#server/s3/listings/list-folded-uploads.ts';
import { countTurns } from '#tests/support/app/count-turns.ts';
import { type BucketWorld, withBucket } from '#tests/support/storage/buckets.ts';

async function begin({ app, bucketId }: BucketWorld, keys: readonly string[]): Promise<string[]> {
  const ids = keys.map(() => newId());
  const row = {
    ...{ bucket_id: bucketId, headers: '{}', metadata: '{}', tags: '[]', created_at: 0 },
    ...{ checksum_algorithm: null, checksum_type: null },
    ...{ initiator_kind: null, initiator_id: null, initiator_name: null },
  };
  const rows = keys.map((key, at) => ({ ...row, key, id: ids[at] ?? '' }));
  for (let at = 0; at < rows.length; at += 100) {
    await app.db
      .insertInto('object_uploads')
      .values(rows.slice(at, at + 100))
      .execute();
  }
  return ids;
}

it('a page of uploads begins at its prefix or behind its marker, in the order of bytes', async () => {
  const world = await withBucket('pages');
  const keys = ['a', 'a', 'b/1', 'b/2', 'c', '\uffee', '\u{10ffff}'];
  const [, , third = ''] = (await begin(world, ['a', ...keys])).toSorted();
  const page = async (prefix: string, afterKey = '', afterId = '') => {
    const found = await world.ports.listUploads(world.bucket, { prefix, afterKey, afterId, limit: 4 });
    return found.map(({ key }) => key);
  };
  expect(await page('')).toEqual(['a', 'a', 'a', 'b/1']);
  expect(await page('', 'a')).toEqual(['b/1', 'b/2', 'c', '\uffee']);
  expect(await page('', 'a', third)).toEqual(['b/1', 'b/2', 'c', '\uffee']);
  expect(await page('', 'a', '0')).toEqual(['a', 'a', 'a', 'b/1']);
  expect(await page('b/', 'a', third)).toEqual(['b/1', 'b/2']);
  expect(await page('b/', 'b/1')).toEqual(['b/2']);
  expect(await page('b/', 'c')).toEqual([]);
  expect(await page('', '\uffee')).toEqual(['\u{10ffff}']);
});

it('a list of folders with thousands of uploads leaves turns to others', async () => {
  const world = await withBucket('thousands');
  await begin(
    world,
    Array.from({ length: 4_000 }, (_, at) => `${at % 40}/${at}`),
  );
  const query = { prefix: '', delimiter: '/', keyMarker: '', idMarker: '', max: 1_000 };
  const { result, turns } = await countTurns(() => listFoldedUploads(world.ports, world.bucket, query));
  expect(result.prefixes).toHaveLength(40);
  // Of eight reads of a hundred each.
  expect(turns).toBeGreaterThan(4);
});
