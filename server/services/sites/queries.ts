import { type Selectable, sql } from 'kysely';
import { type Executor, isPostgres, type Trx } from '#db/client.ts';
import type { SitesTable } from '#db/schema/sites.ts';
import type { Config } from '#server/config/config.ts';
import { toInstant } from '../shared/schema.ts';
import { platformHost } from './platform-host.ts';
import type { Site } from './schema.ts';
import { toPicture } from './to-picture.ts';

/** A site row with what the list and the settings page show about it. */
export type SiteRow = Selectable<SitesTable> & {
  deployed_at: number | null;
  endpoint_count: number;
  picture_kind: 'page' | 'icon' | null;
  picture_made_at: number | null;
};

/** Starts a read of an organization's sites, including those that can still be restored. */
export function selectSites(executor: Executor, organizationId: string) {
  return executor
    .selectFrom('sites')
    .leftJoin('site_versions', 'site_versions.id', 'sites.current_version_id')
    .leftJoin('site_pictures', 'site_pictures.site_id', 'sites.id')
    .selectAll('sites')
    .select(['site_pictures.kind as picture_kind', 'site_pictures.made_at as picture_made_at'])
    .select('site_versions.published_at as deployed_at')
    .select(
      sql<number>`(select count(*) from cdn_endpoints where cdn_endpoints.site_id = sites.id)`.as(
        'endpoint_count',
      ),
    )
    .where('sites.organization_id', '=', organizationId);
}

/** Returns a site of the organization that is not deleted, or null. */
export async function findSite(
  executor: Executor,
  organizationId: string,
  siteId: string,
): Promise<SiteRow | null> {
  const row = await selectSites(executor, organizationId)
    .where('sites.id', '=', siteId)
    .where('sites.deleted_at', 'is', null)
    .executeTakeFirst();
  return row ?? null;
}

/** Makes every other change of a site, and every addition to it, wait until the transaction ends. */
export async function lockSiteRow(trx: Trx, organizationId: string, siteId: string): Promise<void> {
  await trx
    .selectFrom('sites')
    .select('id')
    .where('id', '=', siteId)
    .where('organization_id', '=', organizationId)
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .execute();
}

/** Returns the row as it goes over the wire. */
export function toSite(config: Config, row: SiteRow): Site {
  return {
    id: row.id,
    name: row.name,
    type: 'static',
    subdomain: row.subdomain,
    subdomain_url: config.siteUrl(platformHost(config, row.subdomain)),
    current_version_id: row.current_version_id,
    deployed_at: toInstant(row.deployed_at),
    spa_fallback: row.spa_fallback === 1,
    endpoint_count: row.endpoint_count,
    picture: toPicture(row.id, row),
    keep_versions: row.keep_versions,
    keep_days: row.keep_days,
    removed_versions: row.removed_versions,
    suspended_at: toInstant(row.suspended_at),
    suspension_reason: row.suspension_reason,
    created_at: toInstant(row.created_at),
    updated_at: toInstant(row.updated_at),
  };
}
