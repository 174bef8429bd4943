import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DiskReserve } from './disk-reserve.ts';

it('the room on a disk that is no longer mounted is that of a service that is unavailable', async () => {
  const reserve = new DiskReserve(join(import.meta.dirname, 'gone'));
  await expect(reserve.requireRoom(1)).rejects.toMatchObject({ code: 'service_unavailable' });
  await expect(reserve.take(1)).rejects.toMatchObject({ code: 'service_unavailable' });
});

const MIB = 1024 ** 2;

it('the reserve is a twentieth of the disk, between 256 MiB and 4 GiB, and at most a quarter of a small one', async () => {
  const reserveOf = async (totalMib: number) => {
    const statfs = async () => ({ bsize: MIB, blocks: totalMib, bavail: totalMib });
    return (await new DiskReserve('/', null, statfs).measure()).reserveBytes / MIB;
  };
  expect(await reserveOf(400)).toBe(100);
  expect(await reserveOf(2_000)).toBe(256);
  expect(await reserveOf(40_000)).toBe(2_000);
  expect(await reserveOf(400_000)).toBe(4_096);
});

it('an upload may take all that is free above the reserve, and no byte more', async () => {
  const statfs = async () => ({ bsize: 1, blocks: 1_000, bavail: 150 });
  const reserve = new DiskReserve('/', 100, statfs);
  await expect(reserve.requireRoom(51)).rejects.toMatchObject({ code: 'storage_full' });
  await reserve.take(50);
});
