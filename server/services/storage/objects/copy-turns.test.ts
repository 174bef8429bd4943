import { expect, it } from 'vitest';
import { withBucket } from '#tests/support/storage/buckets.ts';

it('copies of one organization wait for each other, and those of another do not wait for them', async () => {
  const { ports, bucket } = await withBucket('copying');
  const end = Promise.withResolvers<void>();
  let begun = 0;
  const copy = async () => {
    begun += 1;
    await end.promise;
    return 'copied';
  };
  const copies = Array.from({ length: 103 }, () => ports.inTurn(bucket, copy));
  await expect.poll(() => begun).toBe(3);
  await expect(ports.inTurn(bucket, copy)).rejects.toMatchObject({ code: 'SlowDown' });
  const other = { ...bucket, ownerId: 'another organization' };
  expect(await ports.inTurn(other, async () => 'copied meanwhile')).toBe('copied meanwhile');
  end.resolve();
  expect(new Set(await Promise.all(copies))).toEqual(new Set(['copied']));
  expect(begun).toBe(103);
});
