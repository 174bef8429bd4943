import type { z } from 'zod';
import { type OrganizationContext, requireAction, requirePerson } from '#server/context.ts';
import { platformHost } from '../sites/platform-host.ts';
import { toPicture } from '../sites/to-picture.ts';
import { SUMMARY_COLUMNS, toVersion } from './queries.ts';
import { listRecentDeploysInput, type RecentDeploy } from './schema.ts';

/** Returns the latest deploys of all sites of an organization, those under way included. @throws person_required */
export async function listRecentDeploys(
  context: OrganizationContext,
  input: z.input<typeof listRecentDeploysInput> = {},
): Promise<RecentDeploy[]> {
  requirePerson(context);
  requireAction(context, 'site.read');
  const { limit } = listRecentDeploysInput.parse(input);
  const { app, organization } = context;
  const rows = await app.db
    .selectFrom('site_versions')
    .innerJoin('sites', 'sites.id', 'site_versions.site_id')
    .leftJoin('site_pictures', 'site_pictures.site_id', 'sites.id')
    .select(SUMMARY_COLUMNS.map((column) => `site_versions.${column}` as const))
    .select([
      'sites.name as site_name',
      'sites.subdomain',
      'sites.current_version_id',
      'site_pictures.kind as picture_kind',
      'site_pictures.made_at as picture_made_at',
    ])
    .where('site_versions.organization_id', '=', organization.id)
    .where('site_versions.removed_at', 'is', null)
    .where('sites.deleted_at', 'is', null)
    .orderBy('site_versions.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ...toVersion(app.config, row, row),
    was_published: row.published_at !== null,
    site: {
      id: row.site_id,
      name: row.site_name,
      subdomain_url: app.config.siteUrl(platformHost(app.config, row.subdomain)),
      picture: toPicture(row.site_id, row),
    },
  }));
}
