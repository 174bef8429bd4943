import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { requireOrganizationRight } from '../organizations/require-organization-right.ts';
import type { TimePlace } from '../shared/pages.ts';
import { toInstant } from '../shared/schema.ts';
import { formatCsvLine } from '../usage/format-csv-line.ts';
import { type AuditFilter, type AuditRow, findEvents } from './queries.ts';
import { auditFilterInput } from './schema.ts';
import { showFields } from './show-fields.ts';

/**
 * Rows of one read. An event has up to 50 KB of changed fields, so this many take some milliseconds to read,
 * and this much is in memory at a time, however long the log is.
 */
const ROWS_AT_ONCE = 100;

const COLUMNS = [
  'at',
  'actor_kind',
  'actor_id',
  'actor_name',
  'action',
  'resource_type',
  'resource_id',
  'before',
  'after',
  'address',
  'request_id',
] as const;

/** A CSV export in progress. */
export interface AuditExport {
  filename: string;
  /** The text in parts, header line first, read from the database as it is consumed. */
  text: AsyncIterable<string>;
}

/**
 * Returns all events of {@link listAuditEvents} as CSV (RFC 4180), newest first. Actors have the names they
 * had at the time.
 * @throws permission_required, person_required for a credential
 */
export async function exportAuditEvents(
  context: OrganizationContext,
  input: z.input<typeof auditFilterInput>,
): Promise<AuditExport> {
  requireOrganizationRight(context, 'audit.read');
  const filter = auditFilterInput.parse(input);
  const today = toInstant(context.app.clock.now()).slice(0, 10);
  return { filename: `audit-${today}.csv`, text: writeCsv(context, filter) };
}

async function* writeCsv(context: OrganizationContext, filter: AuditFilter): AsyncGenerator<string> {
  const { app, organization } = context;
  const now = app.clock.now();
  const slice = app.slices.begin(organization.id);
  yield formatCsvLine(COLUMNS);
  let after: TimePlace | null = null;
  for (;;) {
    // The reader may have taken the previous part just now, like those of other exports.
    await slice.breathe();
    const rows: AuditRow[] = await findEvents(app.db, organization.id, {
      filter,
      now,
      after,
      limit: ROWS_AT_ONCE,
      slice,
    });
    if (rows.length > 0) yield await slice.run(writeLines(context, rows));
    after = rows.at(-1) ?? null;
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

/** Yields after each line, and returns them all. */
function* writeLines(
  context: OrganizationContext,
  rows: readonly AuditRow[],
): Generator<void, string, undefined> {
  let lines = '';
  for (const row of rows) {
    lines += toLine(context, row);
    yield;
  }
  return lines;
}

function toLine(context: OrganizationContext, row: AuditRow): string {
  const { before, after, address } = showFields(context, row);
  const toText = (fields: object | null) => (fields === null ? '' : JSON.stringify(fields));
  return formatCsvLine([
    toInstant(row.at),
    row.actor_kind,
    row.actor_id ?? '',
    row.actor_name,
    row.action,
    row.resource_type,
    row.resource_id,
    toText(before),
    toText(after),
    address ?? '',
    row.request_id ?? '',
  ]);
}
