import type { z } from 'zod';

import { type OrganizationContext, requireAction } from '#server/context.ts';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { formatCsvLine } from './format-csv-line.ts';
import {
  beginReading,
  findSeries,
  inTurns,
  type NamedSeries,
  type SeriesCondition,
  selectCounted,
  seriesOf,
  type UsageReading,
} from './queries.ts';
import { type CountedRow, readCounted } from './read-counted.ts';
import { requireRange } from './require-range.ts';
import {
  formatBeginning,
  formatDay,
  type Granularity,
  HOURS_KEPT_MS,
  hourOf,
  type UsageRange,
} from './rules.ts';
import { usageStatsInput } from './schema.ts';
import { TOTAL_NAMES, totalSums } from './totals.ts';

/** The approximate number of rows per read: a read covers whole days or hours, at least one. */
const ROWS_AT_ONCE = 5_000;

/** A CSV being exported. */
export interface UsageExport {
  /** `usage-2026-11-01-2026-11-21.csv` */
  filename: string;
  /** Changes whenever the text may have changed. */
  revision: string;
  /** The text in parts, with its header line first, read from the database on demand. */
  text: AsyncIterable<string>;
}

/**
 * Returns the rows of {@link getUsageStats} as CSV (RFC 4180), with the names for the ids, however many rows
 * there are. By the hour, it goes back as far as hours are kept.
 * @throws permission_required, invalid_input for a range too long, endpoint_not_found, site_not_found,
 * out_of_scope
 */
export async function exportUsage(
  context: OrganizationContext,
  input: z.input<typeof usageStatsInput>,
): Promise<UsageExport> {
  requireAction(context, 'usage.read');
  const requested = usageStatsInput.parse(input);
  const { granularity } = requested;
  const { app } = context;
  const now = app.clock.now();
  const range = requireRange(requested, now);
  const condition = await seriesOf(app.db, context, requested);
  const start = granularity === 'hour' ? Math.max(range.start, hourOf(now - HOURS_KEPT_MS)) : range.start;
  const kept = { start, end: range.end };
  return {
    filename: `usage-${formatDay(range.start)}-${formatDay(range.end - DAY_MS)}.csv`,
    revision: `${context.organization.id} ${await readRevision(beginReading(context), granularity, kept, condition)}`,
    text: writeCsv(beginReading(context), granularity, kept, condition),
  };
}

/** Within one organization counters only grow, so rows with the same number and sums are the same rows. */
async function readRevision(
  reading: UsageReading,
  granularity: Granularity,
  range: UsageRange,
  condition: SeriesCondition,
): Promise<string> {
  const { executor } = reading;
  const sums = [];
  for await (const part of inTurns(reading, range)) {
    const sum = await selectCounted(executor, granularity, part, condition)
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .select(totalSums)
      .executeTakeFirstOrThrow();
    sums.push(sum);
  }
  return JSON.stringify([granularity, range, sums]);
}

/** Reads whole days or hours, as many as make a good read, so that it never sorts what it does not send. */
async function* writeCsv(
  reading: UsageReading,
  granularity: Granularity,
  range: UsageRange,
  condition: SeriesCondition,
): AsyncGenerator<string> {
  const { executor, slice } = reading;
  yield formatCsvLine(['date', 'cdn_endpoint_id', 'site_id', 'name', ...TOTAL_NAMES]);
  let series = await findSeries(executor, condition);
  const unit = granularity === 'day' ? DAY_MS : HOUR_MS;
  const step = unit * Math.max(1, Math.floor(ROWS_AT_ONCE / Math.max(1, series.size)));
  for await (const part of inTurns(reading, range, step)) {
    const rows = await readCounted(executor, { granularity, range: part, condition });
    // Something may have been counted for the first time in the meantime.
    if (rows.some((row) => !series.has(row.series_id))) series = await findSeries(executor, condition);
    if (rows.length > 0) yield await slice.run(writeLines(granularity, rows, series));
  }
}

/** Yields after each line, and returns them all. */
function* writeLines(
  granularity: Granularity,
  rows: readonly CountedRow[],
  series: ReadonlyMap<number, NamedSeries>,
): Generator<void, string, undefined> {
  let lines = '';
  for (const row of rows) {
    const whose = series.get(row.series_id);
    lines += formatCsvLine([
      formatBeginning(granularity, row.at),
      whose?.endpoint_id ?? '',
      whose?.site_id ?? '',
      whose?.name ?? '',
      ...TOTAL_NAMES.map((name) => row[name]),
    ]);
    yield;
  }
  return lines;
}
