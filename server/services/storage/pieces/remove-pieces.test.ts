import { Readable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '#server/durations.ts';
import { type BucketWorld, withBucket } from '#tests/support/storage/buckets.ts';
import { STRAY_PIECE_KEPT_MS } from '../rules.ts';
import { removePieces } from './remove-pieces.ts';
import { removeStrayPieces } from './remove-stray-pieces.ts';

const going = () => new AbortController().signal;

/** Makes the store refuse to remove one piece, until it is told to. */
function refuseToRemove({ app }: BucketWorld, id: string) {
  const { pieces } = app.blobs;
  const remove = pieces.remove.bind(pieces);
  return vi.spyOn(pieces, 'remove').mockImplementation(async (each) => {
    if (each === id) throw new Error('the store keeps it');
    await remove(each);
  });
}

const stuckItems = async ({ app }: BucketWorld) =>
  (await app.db.selectFrom('stuck_work').select(['job', 'item']).execute()).map(
    ({ job, item }) => `${job} ${item}`,
  );

it('content that the store does not remove is listed and retried, and does not delay other content', async () => {
  const world = await withBucket('overwritten');
  const { app, context, put } = world;
  for (const content of ['one', 'two', 'three', 'four']) await put('key', content);
  const rows = await app.db.selectFrom('removed_pieces').select('id').orderBy('id').execute();
  const [first = '', ...others] = rows.map(({ id }) => id);
  expect(others).toHaveLength(2);
  const refusal = refuseToRemove(world, first);
  app.clock.advance(HOUR_MS + 1);
  expect(await removePieces(context, going())).toBe(2);
  expect(await stuckItems(world)).toEqual([`remove-pieces ${first}`]);
  for (const id of others) expect(await app.blobs.pieces.open(id)).toBeNull();
  refusal.mockRestore();
  expect(await removePieces(context, going()), 'it waits for a moment').toBe(0);
  app.clock.advance(MINUTE_MS);
  expect(await removePieces(context, going())).toBe(1);
  expect(await stuckItems(world)).toEqual([]);
  expect(await app.db.selectFrom('removed_pieces').selectAll().execute()).toEqual([]);
});

it('so is content without a row', async () => {
  const world = await withBucket('stray');
  const { app, context } = world;
  const strays = await Promise.all(
    ['a', 'b', 'c'].map(async (text) => {
      const piece = await app.blobs.pieces.receive(Readable.from([Buffer.from(text)]), { announcedBytes: 1 });
      await piece.keep();
      return piece.id;
    }),
  );
  const refusal = refuseToRemove(world, strays[0] ?? '');
  // Files have the machine's time; the clock of the test is another.
  app.clock.advance(Date.now() - app.clock.now() + STRAY_PIECE_KEPT_MS + MINUTE_MS);
  expect(await removeStrayPieces(context, going())).toBe(2);
  expect(await stuckItems(world)).toEqual([`remove-stray-pieces ${strays[0]}`]);
  refusal.mockRestore();
  app.clock.advance(MINUTE_MS);
  expect(await removeStrayPieces(context, going())).toBe(1);
  expect(await stuckItems(world)).toEqual([]);
});

it('content is removed from the longest unreferenced on, in any number of slices', async () => {
  const { app, context } = await withBucket('many');
  const at = app.clock.now();
  const rows = Array.from({ length: 450 }, (_, index) => ({
    id: `piece${String((index * 7) % 450).padStart(3, '0')}`,
    removed_at: at + Math.trunc(index / 100),
  }));
  await app.db.insertInto('removed_pieces').values(rows).execute();
  app.clock.advance(HOUR_MS + 4);
  expect(await removePieces(context, going())).toBe(400);
  app.clock.advance(1);
  expect(await removePieces(context, going())).toBe(50);
});
