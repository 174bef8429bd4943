import { sql } from 'kysely';
import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { containsPattern } from '../shared/contains-pattern.ts';
import { readIdCursor, toPage } from '../shared/pages.ts';
import { describeReports, selectReports } from './queries.ts';
import { type AbuseReport, listAbuseReportsInput } from './schema.ts';

/** Returns a page of reports, newest first. @throws operator_required, invalid_input for an unknown cursor */
export async function listAbuseReports(
  context: RequestContext,
  input: z.input<typeof listAbuseReportsInput> = {},
): Promise<{ items: AbuseReport[]; next_cursor: string | null }> {
  requireOperator(context, 'read');
  const { cursor, limit, search, state } = listAbuseReportsInput.parse(input);
  const { config, db } = context.app;
  let query = selectReports(db);
  if (cursor !== undefined) query = query.where('abuse_reports.id', '<', readIdCursor(cursor));
  if (state !== undefined) query = query.where('closed_at', state === 'open' ? 'is' : 'is not', null);
  if (search) {
    const pattern = containsPattern(search.toLowerCase());
    query = query.where(({ ref }) => sql<boolean>`lower(${ref('address')}) like ${pattern} escape '\\'`);
  }
  const rows = await query
    .orderBy('abuse_reports.id', 'desc')
    .limit(limit + 1)
    .execute();
  const { page, next_cursor } = toPage(rows, limit, ({ id }) => id);
  return { items: await describeReports(db, config, page), next_cursor };
}
