import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { readNumberCursor, toPage } from '../shared/pages.ts';
import { requireSite } from '../sites/require-site.ts';
import { SUMMARY_COLUMNS, toVersion } from './queries.ts';
import { listVersionsInput, type versionPageSchema } from './schema.ts';

/**
 * Returns a page of the site's versions, newest first; one that is still being uploaded has no `sealed_at`.
 * @throws out_of_scope, site_not_found, invalid_input for an unknown cursor
 */
export async function listVersions(
  context: OrganizationContext,
  input: z.input<typeof listVersionsInput>,
): Promise<z.infer<typeof versionPageSchema>> {
  requireAction(context, 'site.read');
  const { site_id, cursor, limit } = listVersionsInput.parse(input);
  const { config, db } = context.app;
  const site = await requireSite(db, context, site_id, 'read');
  let query = db
    .selectFrom('site_versions')
    .select(SUMMARY_COLUMNS)
    .where('site_id', '=', site.id)
    .where('removed_at', 'is', null);
  if (cursor !== undefined) query = query.where('number', '<', readNumberCursor(cursor));
  const rows = await query
    .orderBy('number', 'desc')
    .limit(limit + 1)
    .execute();
  const { page, next_cursor } = toPage(rows, limit, ({ number }) => String(number));
  return { items: page.map((row) => toVersion(config, site, row)), next_cursor };
}
