import { describe, expect, it } from 'vitest';
import { createLogger } from '../logging/logger.ts';
import type { S3Bucket } from '../s3/ports.ts';
import type { StorageBatch } from '../services/usage/apply-storage-batch.ts';
import { createStorageMeter } from './storage-meter.ts';

const DAY = 86_400_000;
const bucketOf = (id: string): S3Bucket => ({
  id,
  name: `name of ${id}`,
  region: 'qc-south-1',
  ownerId: 'organization',
  createdAt: 0,
  corsRules: [],
  tags: [],
  isPublic: false,
  publicAccessBlock: null,
  isServedToAnyone: false,
});

/** A meter whose database fails a given number of times and then accepts everything. */
function startMeter(failures = 0) {
  const sent: StorageBatch[] = [];
  const applied = new Map<number, StorageBatch>();
  const clock = { now: 0 };
  let left = failures;
  const meter = createStorageMeter({
    logger: createLogger('silent'),
    now: () => clock.now,
    sendMs: 1_000_000,
    async apply(batch) {
      sent.push(batch);
      // A lost response: the batch is applied, but the sender does not learn it.
      applied.set(batch.sequence, batch);
      left -= 1;
      if (left >= 0) throw new Error('the answer was lost');
    },
  });
  const rows = () => [...applied.values()].flatMap((batch) => batch.rows);
  return { meter, sent, rows, clock };
}

describe('what is counted for buckets', () => {
  it('is reported by bucket and day, refusals and failures separately and without bytes', async () => {
    const { meter, rows, clock } = startMeter();
    meter.count(bucketOf('a'), { status: 200, bytesIn: 10, bytesOut: 1 });
    meter.count(bucketOf('a'), { status: 404, bytesIn: 0, bytesOut: 5 });
    meter.count(bucketOf('a'), { status: 403, bytesIn: 100, bytesOut: 100 });
    meter.count(bucketOf('a'), { status: 503, bytesIn: 100, bytesOut: 100 });
    meter.count(bucketOf('b'), { status: 200, bytesIn: Number.NaN, bytesOut: -1 });
    clock.now = DAY + 5;
    meter.count(bucketOf('a'), { status: 206, bytesIn: 0, bytesOut: 7 });
    await meter.stop();
    const told = rows().map(({ bucket_id, day, requests, bytes_received, bytes_sent, refused_requests }) => [
      bucket_id,
      day,
      [requests, bytes_received, bytes_sent, refused_requests],
    ]);
    expect(told).toEqual([
      ['a', 0, [2, 10, 6, 2]],
      ['b', 0, [1, 0, 0, 0]],
      ['a', DAY, [1, 0, 7, 0]],
    ]);
  });

  it('is sent again under its number when the response was lost, and newer counts after it', async () => {
    const { meter, sent, rows } = startMeter(1);
    meter.count(bucketOf('a'), { status: 200, bytesIn: 1, bytesOut: 0 });
    await meter.stop();
    expect(sent.map(({ sequence }) => sequence)).toEqual([1, 1]);
    expect(rows()).toHaveLength(1);
  });

  it('costs nothing while there are no requests', async () => {
    const { meter, sent } = startMeter();
    await meter.stop();
    expect(sent).toEqual([]);
  });
});
