import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { DiskReserve } from '#server/store/room/disk-reserve.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { watchDiskSpace } from './watch-disk-space.ts';

it('metrics tell how much space is left, and below which uploads are refused', async () => {
  const app = await createTestApp({ environment: { DISK_RESERVE_BYTES: '1000000' } });
  const databaseDisk = new DiskReserve('/', 4096, async () => ({ bsize: 10, blocks: 1000, bavail: 77 }));
  const registry = new Registry();
  watchDiskSpace({ ...app, databaseDisk }, registry);
  const text = await registry.metrics();
  expect(text).toContain('portage_disk_free_bytes{disk="database"} 770\n');
  expect(text).toContain('portage_disk_reserve_bytes{disk="database"} 4096\n');
  expect(text).toContain('portage_disk_reserve_bytes{disk="content"} 1000000\n');
  expect(Number(/free_bytes\{disk="content"\} (\d+)/.exec(text)?.[1])).toBeGreaterThan(0);
});

it('metrics tell how many files more fit on a disk, where that has a limit', async () => {
  const app = await createTestApp();
  const space = { bsize: 10, blocks: 1000, bavail: 77 };
  const textOf = async (files: { files: number; ffree: number }) => {
    const registry = new Registry();
    const databaseDisk = new DiskReserve('/', 1, async () => ({ ...space, ...files }));
    watchDiskSpace({ ...app, databaseDisk }, registry);
    return registry.metrics();
  };
  const line = 'portage_disk_free_inodes{disk="database"}';
  expect(await textOf({ files: 100, ffree: 0 })).toContain(`${line} 0\n`);
  expect(await textOf({ files: 0, ffree: 0 })).not.toContain(line);
});

it('a disk that cannot be measured hides no other metric', async () => {
  const app = await createTestApp();
  const databaseDisk = new DiskReserve('/', 1, () => Promise.reject(new Error('the disk is gone')));
  const registry = new Registry();
  watchDiskSpace({ ...app, databaseDisk }, registry);
  const text = await registry.metrics();
  expect(text).toContain('portage_disk_free_bytes{disk="content"}');
  expect(text).not.toContain('disk="database"');
});
