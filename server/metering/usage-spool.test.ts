import { mkdir, open, readdir, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { batchesIn, requestsIn } from '#tests/support/server/edge-node.ts';
import { watchSyncs } from '#tests/support/server/watch-syncs.ts';
import {
  ANSWER,
  countedOf,
  newSeries,
  spoolFolder,
  startTestMetering,
} from '#tests/support/usage/metering-world.ts';
import { HOUR_MS } from '../durations.ts';
import { newId } from '../ids.ts';
import { applyUsageBatch } from '../services/usage/apply-usage-batch.ts';
import type { UsageBatch } from '../services/usage/schema.ts';
import { readWaitingUsage } from './read-waiting-usage.ts';

/** Before anything exists. */
const NOTHING = { batches: 0, bytes: 0, oldest_written_at: null, quarantined: 0 };
const away = () => Promise.reject(new Error('the database is away'));

describe('a disk', () => {
  it('that is full does not prevent counting, and is used again once it has room', async () => {
    const app = await createTestApp();
    const folder = await spoolFolder();
    let isFull = true;
    let isAway = true;
    const apply = (batch: UsageBatch) => (isAway ? away() : applyUsageBatch(app, batch));
    const metering = await startTestMetering(app, {
      ...{ folder, apply },
      // The real error of a real device that is always full.
      openFile: (path, flags, mode) => (isFull ? open('/dev/full', 'r+') : open(path, flags, mode)),
    });
    const series = newSeries();
    const meter = metering.meterOf(series);
    const waiting = () => Promise.resolve(metering.backlog());
    meter?.count(ANSWER, 5);
    await pollUntil(waiting, ({ batches, unwritten }) => batches === 1 && unwritten === 1);
    meter?.count(ANSWER, 5);
    await pollUntil(waiting, ({ unwritten }) => unwritten === 2);
    expect(await batchesIn(folder)).toEqual([]);
    isFull = false;
    await pollUntil(waiting, ({ unwritten }) => unwritten === 0);
    expect(requestsIn(await batchesIn(folder))).toBe(2);
    isFull = true;
    meter?.count(ANSWER, 5);
    await pollUntil(waiting, ({ unwritten }) => unwritten === 1);
    isAway = false;
    await pollUntil(
      () => countedOf(app.db, series.organizationId),
      ({ requests }) => requests === 3,
    );
    await metering.stop();
    expect(await countedOf(app.db, series.organizationId)).toMatchObject({ requests: 3, bytes: 15 });
  });

  it('keeps what waits on it even in a power cut', async () => {
    const app = await createTestApp();
    const folder = await spoolFolder();
    const { survives, keepsName } = await watchSyncs();
    const metering = await startTestMetering(app, { folder, apply: away });
    metering.meterOf(newSeries())?.count(ANSWER, 5);
    await pollUntil(
      async () => metering.backlog(),
      ({ batches, unwritten }) => batches === 1 && unwritten === 0,
    );
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const batches = entries.filter(({ name }) => name.endsWith('.json'));
    expect(batches).toHaveLength(1);
    for (const { parentPath, name } of batches) {
      expect(await survives(join(parentPath, name))).toBe(true);
      expect(keepsName(parentPath)).toBe(true);
    }
    await metering.stop();
  });

  it('is never filled: beyond the limit the newest usage waits in memory, and is applied all the same', async () => {
    const app = await createTestApp();
    const folder = await spoolFolder();
    let isAway = true;
    const apply = (batch: UsageBatch) => (isAway ? away() : applyUsageBatch(app, batch));
    const metering = await startTestMetering(app, { folder, apply, spoolBytesMax: 1_500 });
    for (let served = 1; served <= 12; served += 1) {
      metering.meterOf(newSeries())?.count(ANSWER, 1);
      await pollUntil(
        async () => requestsIn(await batchesIn(folder)) === served || metering.backlog().unwritten === 1,
        (isKept) => isKept,
      );
    }
    expect(metering.backlog().bytes).toBeLessThanOrEqual(1_500);
    expect(metering.backlog().unwritten).toBe(1);
    isAway = false;
    await metering.stop();
    const { requests } = await app.db
      .selectFrom('usage_days')
      .select((eb) => eb.fn.sum<number>('requests').as('requests'))
      .executeTakeFirstOrThrow();
    expect(Number(requests)).toBe(12);
    expect(await batchesIn(folder)).toEqual([]);
  });

  it('that refuses even the folder does not prevent a start', async () => {
    const app = await createTestApp();
    const file = join(await spoolFolder(), 'a-file');
    await writeFile(file, '');
    const metering = await startTestMetering(app, { folder: join(file, 'spool') });
    const series = newSeries();
    metering.meterOf(series)?.count(ANSWER, 1);
    await pollUntil(
      () => countedOf(app.db, series.organizationId),
      ({ requests }) => requests === 1,
    );
  });
});

describe('a folder of the spool', () => {
  it('adopted while its owner is alive loses nothing: the owner continues under a new name', async () => {
    const app = await createTestApp();
    const folder = await spoolFolder();
    let isAway = true;
    const apply = (batch: UsageBatch) => (isAway ? away() : applyUsageBatch(app, batch));
    const series = newSeries();
    const first = await startTestMetering(app, { folder, apply });
    let served = 0;
    const serve = async (metering: typeof first) => {
      metering.meterOf(series)?.count(ANSWER, 1);
      served += 1;
      const all = served;
      await pollUntil(
        () => batchesIn(folder),
        (batches) => requestsIn(batches) === all,
      );
    };
    for (let round = 0; round < 3; round += 1) await serve(first);
    const second = await startTestMetering(app, { folder, apply });
    for (let round = 0; round < 3; round += 1) {
      await serve(first);
      await serve(second);
    }
    expect(new Set((await batchesIn(folder)).map(({ boot_id }) => boot_id)).size).toBe(3);
    isAway = false;
    await pollUntil(
      () => countedOf(app.db, series.organizationId),
      ({ requests }) => requests === served,
    );
    await first.stop();
    await second.stop();
    expect(await countedOf(app.db, series.organizationId)).toMatchObject({ requests: served });
    expect(await readdir(folder)).toEqual(['node-id']);
  });

  it('is left to a live sibling, and adopted when it has not been touched for a minute', async () => {
    const app = await createTestApp();
    const folder = await spoolFolder();
    let elapsed = 0;
    const monotonic = () => performance.now() + elapsed;
    const metering = await startTestMetering(app, { folder, monotonic });
    const series = newSeries();
    const living = join(folder, newId());
    const dead = join(folder, newId());
    const boot_id = newId();
    const { organizationId: organization_id, siteId: site_id } = series;
    metering.meterOf(series)?.count(ANSWER, 1);
    await pollUntil(
      () => countedOf(app.db, organization_id),
      ({ requests }) => requests === 1,
    );
    const [row] = await app.db.selectFrom('usage_hours').selectAll().execute();
    const { series_id, hour = 0, ...counters } = row ?? {};
    const rows = [{ organization_id, endpoint_id: null, site_id, ...counters, paths: [] }];
    for (const path of [living, dead]) {
      await mkdir(path);
      const batch = {
        node_id: 'sibling',
        boot_id: path === dead ? boot_id : newId(),
        sequence: 4,
        hour,
        rows,
      };
      await writeFile(join(path, '4.json'), JSON.stringify(batch));
    }
    expect(series_id).toBeDefined();
    // Each look comes a minute after the previous one; the live sibling has touched its folder meanwhile.
    let beat = 0;
    const passMinute = async () => {
      beat += 1;
      await utimes(living, beat, beat);
      elapsed += 61_000;
      return countedOf(app.db, organization_id);
    };
    await pollUntil(passMinute, ({ requests }) => requests === 2);
    expect(await readdir(living)).toEqual(['4.json']);
    const cursors = await app.db.selectFrom('usage_cursors').select(['boot_id', 'sequence']).execute();
    expect(cursors).toContainEqual({ boot_id, sequence: 4 });
  });

  it('quarantines files that cannot be read and sends the others', async () => {
    const app = await createTestApp();
    const folder = await spoolFolder();
    const series = newSeries();
    let isAway = true;
    const apply = (batch: UsageBatch) => (isAway ? away() : applyUsageBatch(app, batch));
    expect(await readWaitingUsage(join(folder, 'none'))).toMatchObject(NOTHING);
    const first = await startTestMetering(app, { folder, apply, stopMs: 50 });
    for (let hour = 0; hour < 3; hour += 1) {
      first.meterOf(series)?.count(ANSWER, 1);
      await pollUntil(
        () => batchesIn(folder),
        (batches) => requestsIn(batches) === hour + 1,
      );
      app.clock.advance(HOUR_MS);
    }
    await first.stop();
    expect(await readWaitingUsage(folder)).toMatchObject({ batches: 3, quarantined: 0 });
    isAway = false;
    const [own = ''] = (await readdir(folder)).filter((name) => name !== 'node-id');
    await writeFile(join(folder, own, '2.json'), '{"node_id": "torn');
    await writeFile(join(folder, own, '9.tmp'), 'unfinished');
    await writeFile(join(folder, own, 'notes.txt'), 'what is this');
    await rename(join(folder, own, '3.json'), join(folder, own, '30.json'));
    const second = await startTestMetering(app, { folder, apply });
    const isBad = (name: string) => name.endsWith('.bad');
    await pollUntil(
      () => readWaitingUsage(folder),
      ({ batches, quarantined }) => batches === 0 && quarantined === 3,
    );
    await second.stop();
    expect(await countedOf(app.db, series.organizationId)).toMatchObject({ requests: 1 });
    expect(
      (await readdir(folder))
        .filter(isBad)
        .map((name) => name.slice(27))
        .sort(),
    ).toEqual(['2.json.bad', '30.json.bad', 'notes.txt.bad']);
  });
});
