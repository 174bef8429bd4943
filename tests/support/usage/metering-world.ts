import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { onTestFinished } from 'vitest';
import type { Db } from '#db/client.ts';
import type { App } from '#server/context.ts';
import type { EdgeResponseRecord } from '#server/edge/ports.ts';
import { newId } from '#server/ids.ts';
import { type Metering, type MeteringOptions, startMetering } from '#server/metering/start-metering.ts';
import type { MeteredSeries } from '#server/metering/usage-rows.ts';
import { removeFolder } from '../remove-folder.ts';

/** A response that was read from the store, without a file to list. */
export const ANSWER: EdgeResponseRecord = { status: 200, isCacheHit: false, isRefused: false, path: null };

/** Frequent takes, so that no test waits for them, and no space reserved for a full disk. */
export const FAST: MeteringOptions = {
  takeMs: 20,
  stopMs: 10_000,
  reserveBytes: 0,
  pace: { retryMs: 50, restFactor: 0 },
};

/** Returns an empty folder that is removed after the test. */
export async function spoolFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portage-usage-'));
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** Starts metering like a separate process, with metrics of its own; stopped after the test at the latest. */
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

/** Returns a series with nothing counted yet. */
export function newSeries(): MeteredSeries {
  return { organizationId: newId(), endpointId: null, siteId: newId() };
}

/** Returns the usage of an organization in the database. Hours and days always agree. */
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
  // One statement, so that both sums are from the same moment while batches are being written.
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
