import { sql } from 'kysely';
import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { containsPattern } from '../shared/contains-pattern.ts';
import { cursorUnknown, toPage } from '../shared/pages.ts';
import { selectSites, toSite } from './queries.ts';
import { foldSiteName } from './rules.ts';
import { listSitesInput, type Site } from './schema.ts';

/**
 * Returns a page of the organization's sites by name, those whose name or address contains `search`. A
 * credential sees only the sites in its scopes. The cursor is the last site of the previous page. `sort:
 * 'deployed'` returns the most recently deployed sites instead, on one page.
 */
export async function listSites(
  context: OrganizationContext,
  input: z.input<typeof listSitesInput>,
): Promise<{ items: Site[]; next_cursor: string | null }> {
  requireAction(context, 'site.read');
  const { cursor, limit, search, sort } = listSitesInput.parse(input);
  const { actor, app, organization } = context;

  let query = selectSites(app.db, organization.id).where('sites.deleted_at', 'is', null);
  if (actor.kind === 'credential') {
    const ids = actor.scopes.filter((s) => s.resource_type === 'site' && s.permissions.includes('read'));
    if (ids.length === 0) return { items: [], next_cursor: null };
    query = query.where(
      'sites.id',
      'in',
      ids.map((scope) => scope.resource_id),
    );
  }
  if (search) {
    const pattern = containsPattern(foldSiteName(search));
    query = query.where((eb) =>
      eb.or([
        sql<boolean>`${eb.ref('sites.name_key')} like ${pattern} escape '\\'`,
        sql<boolean>`${eb.ref('sites.subdomain')} like ${pattern} escape '\\'`,
      ]),
    );
  }
  if (sort === 'deployed') {
    const latest = await query
      .where('site_versions.published_at', 'is not', null)
      .orderBy('site_versions.published_at', 'desc')
      .orderBy('sites.id')
      .limit(limit)
      .execute();
    return { items: latest.map((row) => toSite(app.config, row)), next_cursor: null };
  }
  if (cursor) {
    const last = await app.db
      .selectFrom('sites')
      .select(['id', 'name_key'])
      .where('id', '=', cursor)
      .where('organization_id', '=', organization.id)
      .executeTakeFirst();
    if (!last) throw cursorUnknown();
    query = query.where((eb) =>
      eb.or([
        eb('sites.name_key', '>', last.name_key),
        eb.and([eb('sites.name_key', '=', last.name_key), eb('sites.id', '>', last.id)]),
      ]),
    );
  }
  const rows = await query
    .orderBy('sites.name_key')
    .orderBy('sites.id')
    .limit(limit + 1)
    .execute();
  const { page, next_cursor } = toPage(rows, limit, ({ id }) => id);
  return { items: page.map((row) => toSite(app.config, row)), next_cursor };
}
