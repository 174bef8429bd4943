import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ANY_OBJECT, type BucketWorld, withBucket } from '#tests/support/storage/buckets.ts';
import { SCRUB_EVERY_MS } from '../../scrub/rules.ts';
import { scrubPieces } from './scrub-pieces.ts';

const going = () => new AbortController().signal;

/** Where the content of an object is on disk. */
async function fileOf({ app, ports, bucket }: BucketWorld, key: string): Promise<string> {
  const object = await ports.findObject(bucket, key);
  const [piece] = await ports.listPieces(bucket, object?.contentId ?? '');
  const names = await readdir(app.config.dataDir, { recursive: true });
  const name = names.find((each) => each.includes(piece?.id ?? 'none'));
  if (name === undefined) throw new Error(`no file of ${key}`);
  return join(app.config.dataDir, name);
}

const found = async ({ app }: BucketWorld) =>
  (await app.db.selectFrom('stuck_work').select('error').orderBy('error').execute()).map(
    ({ error }) => error,
  );

describe('the scrub of what buckets hold', () => {
  it('rereads everything periodically and reports nothing wrong with intact content', async () => {
    const world = await withBucket('sound');
    const { context, app, put } = world;
    for (const key of ['a', 'b', 'c']) await put(key, `content of ${key}`);
    await put('empty', '');
    expect(await scrubPieces(context, going())).toBe(4);
    expect(await scrubPieces(context, going())).toBe(0);
    expect(await found(world)).toEqual([]);
    app.clock.advance(SCRUB_EVERY_MS);
    expect(await scrubPieces(context, going())).toBe(4);
  });

  it('reports which object is missing, truncated or changed, until it is repaired or deleted', async () => {
    const world = await withBucket('damaged');
    const { context, app, put, bucket, ports } = world;
    for (const key of ['changed', 'cut', 'missing', 'sound']) await put(key, `content of ${key}`);
    await writeFile(await fileOf(world, 'changed'), 'content of Changed');
    await writeFile(await fileOf(world, 'cut'), 'content');
    await rm(await fileOf(world, 'missing'));
    await scrubPieces(context, going());
    expect(await found(world)).toEqual([
      expect.stringMatching(
        /^Error: stored content has changed: piece \w+ of the object "changed" in the bucket damaged$/,
      ),
      expect.stringMatching(/^Error: stored content is cut after 7 of 14 bytes: .* "cut"/),
      expect.stringMatching(/^Error: stored content is missing: .* "missing"/),
    ]);
    await writeFile(await fileOf(world, 'changed'), 'content of changed');
    await put('cut', 'stored again');
    await ports.deleteObject(bucket, 'missing', ANY_OBJECT);
    // It is checked again automatically, without waiting for the next full pass.
    app.clock.advance(2 * 60_000);
    await scrubPieces(context, going());
    expect(await found(world)).toEqual([]);
  });

  it('continues where it was stopped', async () => {
    const world = await withBucket('stopped');
    for (const key of ['a', 'b', 'c']) await world.put(key, key);
    const stopped = AbortSignal.abort();
    expect(await scrubPieces(world.context, stopped)).toBe(0);
    expect(await scrubPieces(world.context, going())).toBe(3);
  });
});
