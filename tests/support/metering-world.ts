import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { onTestFinished } from 'vitest';
import type { Db } from '#db/client.ts';
import type { App } from '#server/context.ts';
import type { EdgeAnswerRecord } from '#server/edge/ports.ts';
import { newId } from '#server/ids.ts';
import { type Metering, type MeteringOptions, startMetering } from '#server/metering/start-metering.ts';
import type { MeteredSeries } from '#server/metering/usage-meters.ts';

/** An answer that was read from the store, without a file to list. */
export const ANSWER: EdgeAnswerRecord = { status: 200, isCacheHit: false, isRefused: false, path: null };

/** Takes come fast, so that nobody waits for them, and no room is held for a full disk. */
export const FAST: MeteringOptions = {
  takeMs: 20,
  stopMs: 10_000,
  reserveBytes: 0,
  pace: { retryMs: 50, restFactor: 0 },
};

/** Returns an empty folder that is gone after the test. */
export async function spoolFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portage-usage-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts metering as a process of its own would, with figures of its own; stopped after the test at the latest. */
export async function startTestMetering(app: App, options: MeteringOptions = {}): Promise<Metering> {
  const metering = await startMetering({ ...app, metrics: new Registry() }, { ...FAST, ...options });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= metering.stop();
    return stopped;
  };
  onTestFinished(stop);
  return { ...metering, stop };
}

/** Returns a series that nobody has counted for. */
export function newSeries(): MeteredSeries {
  return { organizationId: newId(), endpointId: null, siteId: newId() };
}

/** What the database says was counted for an organization. Hours and days always say the same. */
export async function countedOf(
  db: Db,
  organizationId: string,
): Promise<{ requests: number; bytes: number; hours: [hour: number, requests: number][] }> {
  const sumOf = (table: 'usage_hours' | 'usage_days') =>
    db
      .selectFrom(table)
      .innerJoin('usage_series', 'usage_series.id', `${table}.series_id`)
      .select((eb) => [
        eb.val(table).as('table'),
        eb.fn.sum<number>('requests').as('requests'),
        eb.fn.sum<number>('bytes_sent').as('bytes'),
      ])
      .where('organization_id', '=', organizationId);
  // One statement, so that both sums are of the same moment while batches are being written.
  const sums = await sumOf('usage_hours').unionAll(sumOf('usage_days')).execute();
  const byHour = sums.find(({ table }) => table === 'usage_hours');
  const byDay = sums.find(({ table }) => table === 'usage_days');
  if (!byHour || !byDay || byHour.requests !== byDay.requests || byHour.bytes !== byDay.bytes) {
    throw new Error(`hours say ${JSON.stringify(byHour)} and days ${JSON.stringify(byDay)}`);
  }
  const hours = await db
    .selectFrom('usage_hours')
    .innerJoin('usage_series', 'usage_series.id', 'usage_hours.series_id')
    .select(['hour', 'requests'])
    .where('organization_id', '=', organizationId)
    .orderBy('hour')
    .execute();
  return {
    requests: Number(byHour.requests ?? 0),
    bytes: Number(byHour.bytes ?? 0),
    hours: hours.map(({ hour, requests }) => [hour, requests]),
  };
}
