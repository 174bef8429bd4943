import { Gauge, type Registry } from 'prom-client';
import type { App } from '../context.ts';
import { contentReserve } from '../store/open-blob-store.ts';
import type { DiskReserve, DiskSpace } from '../store/room/disk-reserve.ts';

/**
 * Adds the free space on this node's disks to the metrics, how much of it uploads leave unused, and how many files
 * more fit; measured on each scrape.
 */
export function watchDiskSpace({ config, databaseDisk, logger }: App, registry: Registry): void {
  const disks: Record<string, DiskReserve> = { content: contentReserve(config) };
  if (databaseDisk) disks.database = databaseDisk;
  const measureInto = async (gauge: Gauge<'disk'>, read: (space: DiskSpace) => number | null) => {
    gauge.reset();
    for (const [disk, reserve] of Object.entries(disks)) {
      try {
        const value = read(await reserve.measure());
        if (value !== null) gauge.set({ disk }, value);
      } catch (error) {
        logger.warn({ err: error, disk }, 'the free space on a disk cannot be measured');
      }
    }
  };
  new Gauge({
    name: 'portage_disk_free_bytes',
    help: 'Free bytes of the disk that content (or what is on its way to S3) and the embedded database lie on.',
    labelNames: ['disk'],
    registers: [registry],
    collect() {
      return measureInto(this, ({ freeBytes }) => freeBytes);
    },
  });
  new Gauge({
    name: 'portage_disk_reserve_bytes',
    help: 'Bytes of that disk that uploads leave unused: with less free, they are refused.',
    labelNames: ['disk'],
    registers: [registry],
    collect() {
      return measureInto(this, ({ reserveBytes }) => reserveBytes);
    },
  });
  new Gauge({
    name: 'portage_disk_free_inodes',
    help: 'How many files more fit on that disk, however small; none is shown where that has no limit of its own.',
    labelNames: ['disk'],
    registers: [registry],
    collect() {
      return measureInto(this, ({ freeInodes }) => freeInodes);
    },
  });
}
