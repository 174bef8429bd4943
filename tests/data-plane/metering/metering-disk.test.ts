import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { applyUsageBatch } from '#server/services/usage/apply-usage-batch.ts';
import type { UsageBatch } from '#server/services/usage/schema.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { batchesIn, requestsIn } from '#tests/support/server/edge-node.ts';
import { mountSmallDisk, type SmallDisk } from '#tests/support/server/small-disk.ts';
import { ANSWER, countedOf, newSeries, startTestMetering } from '#tests/support/usage/metering-world.ts';

const probe = mountSmallDisk(1);
probe?.unmount();
/** Where nothing can be mounted, the spool's own test shows the same on files that refuse to grow. */
const canMount = probe !== null;

let disk: SmallDisk | null = null;
afterEach(() => {
  disk?.unmount();
  disk = null;
});

describe.runIf(canMount)('a real disk that is full', () => {
  it('writes counts to the reserve, so that a crash would lose nothing either', async () => {
    const app = await createTestApp();
    const mounted = mountSmallDisk(4);
    if (mounted === null) throw new Error('the disk cannot be mounted any more');
    disk = mounted;
    const apply = () => Promise.reject(new Error('the database is away'));
    const folder = join(mounted.path, 'usage-spool');
    const metering = await startTestMetering(app, { folder, apply, reserveBytes: 100_000, stopMs: 100 });
    const meter = metering.meterOf(newSeries());
    await mounted.fill();
    meter?.count(ANSWER, 1);
    await pollUntil(
      async () => requestsIn(await batchesIn(folder)),
      (requests) => requests === 1,
    );
    expect(metering.backlog().unwritten).toBe(0);
    await mounted.free();
  });

  it('loses no count while the process lives, and everything is on it again once there is room', async () => {
    const app = await createTestApp();
    const mounted = mountSmallDisk(4);
    if (mounted === null) throw new Error('the disk cannot be mounted any more');
    disk = mounted;
    let isAway = true;
    const apply = (batch: UsageBatch) =>
      isAway ? Promise.reject(new Error('the database is away')) : applyUsageBatch(app, batch);
    const folder = join(mounted.path, 'usage-spool');
    const metering = await startTestMetering(app, { folder, apply });
    const series = newSeries();
    const meter = metering.meterOf(series);
    const onDisk = async () => requestsIn(await batchesIn(folder));
    meter?.count(ANSWER, 1);
    await pollUntil(onDisk, (requests) => requests === 1);
    await mounted.fill();
    meter?.count(ANSWER, 1);
    await pollUntil(
      async () => metering.backlog(),
      ({ unwritten }) => unwritten === 1,
    );
    expect(await onDisk()).toBe(1);
    await mounted.free();
    await pollUntil(onDisk, (requests) => requests === 2);
    await mounted.fill();
    meter?.count(ANSWER, 1);
    isAway = false;
    await metering.stop();
    expect(await countedOf(app.db, series.organizationId)).toMatchObject({ requests: 3, bytes: 3 });
    expect(await batchesIn(folder)).toEqual([]);
  });
});
