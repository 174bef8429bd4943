import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { formatCsvLine } from '../../usage/format-csv-line.ts';
import { formatDay } from '../../usage/rules.ts';
import type { storageUsageInput } from '../../usage/schema.ts';
import { wholeByteHours } from './byte-hours.ts';
import { readAskedDays } from './get-storage-usage.ts';

const COLUMNS = [
  'date',
  'bucket_id',
  'name',
  'byte_hours',
  'total_requests',
  'total_bytes_received',
  'total_bytes_sent',
  'total_refused_requests',
];

/**
 * Returns the days of {@link getStorageUsage} bucket by bucket as CSV (RFC 4180).
 * @throws like getStorageUsage
 */
export async function exportStorageUsage(
  context: OrganizationContext,
  input: z.input<typeof storageUsageInput>,
): Promise<{ filename: string; text: string }> {
  const { range, days } = await readAskedDays(context, input);
  const lines = days.map((day) =>
    formatCsvLine([
      formatDay(day.day),
      day.bucket_id,
      day.bucket_name,
      wholeByteHours(day.byte_hours),
      day.requests,
      day.bytes_received,
      day.bytes_sent,
      day.refused_requests,
    ]),
  );
  return {
    filename: `storage-${formatDay(range.start)}-${formatDay(range.end - DAY_MS)}.csv`,
    text: formatCsvLine(COLUMNS) + lines.join(''),
  };
}
