import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { readTextCursor, toPage, toTextCursor } from '../../shared/pages.ts';
import { requireSite } from '../../sites/require-site.ts';
import { getVersionRow } from '../queries.ts';
import { listVersionFilesInput, type versionFilePageSchema } from '../schema.ts';

/**
 * Returns a page of the version's files in the order of their paths.
 * @throws out_of_scope, site_not_found, version_not_found, invalid_input
 */
export async function listVersionFiles(
  context: OrganizationContext,
  input: z.input<typeof listVersionFilesInput>,
): Promise<z.infer<typeof versionFilePageSchema>> {
  requireAction(context, 'site.read');
  const { site_id, version_id, cursor, limit } = listVersionFilesInput.parse(input);
  const { db } = context.app;
  const site = await requireSite(db, context, site_id, 'read');
  const version = await getVersionRow(db, site, version_id);
  const after = readTextCursor(cursor);
  const rows = await db
    .selectFrom('version_files')
    .select(['path', 'sha256', 'size', 'content_type'])
    .where('version_id', '=', version.id)
    .where('path', '>', after)
    .orderBy('path')
    .limit(limit + 1)
    .execute();
  const { page, next_cursor } = toPage(rows, limit, ({ path }) => toTextCursor(path));
  return { items: page, next_cursor };
}
