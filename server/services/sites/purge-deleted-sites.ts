import type { Db } from '#db/client.ts';
import type { RequestContext } from '#server/context.ts';
import { eraseVersion } from '../deployments/retention/erase-version.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { workThrough } from '../stuck-work/work-through.ts';
import { SITE_UNDO_MS } from './rules.ts';

interface DeletedSite {
  id: string;
  organization_id: string;
  name: string;
  subdomain: string;
}

/**
 * Permanently removes the sites that can no longer be restored after seven days, with their versions, and
 * frees their names. Returns how many. Safe to repeat and to interrupt: each version is one transaction, and
 * a site is removed last. One that cannot be removed waits and does not block others. Content is collected
 * afterwards with everything unreferenced.
 */
export async function purgeDeletedSites(
  context: RequestContext,
  stopping?: AbortSignal,
): Promise<{ purged: number }> {
  const { app } = context;
  const deletedBefore = app.clock.now() - SITE_UNDO_MS;
  const purged = await workThrough(app, {
    job: 'purge-deleted-sites',
    list: (after, limit) =>
      app.db
        .selectFrom('sites')
        .select(['id', 'organization_id', 'name', 'subdomain'])
        .where('deleted_at', '<=', deletedBefore)
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),
    nameOf: ({ id }) => id,
    work: (site) => purgeSite(context, site, deletedBefore),
    stopping,
  });
  return { purged };
}

/** Returns whether the site still existed. */
async function purgeSite(
  context: RequestContext,
  site: DeletedSite,
  deletedBefore: number,
): Promise<boolean> {
  await removeVersions(context.app.db, site.id);
  return inUnitOfWork(context, async ({ trx, audit }) => {
    const result = await trx
      .deleteFrom('sites')
      .where('id', '=', site.id)
      .where('deleted_at', '<=', deletedBefore)
      .executeTakeFirst();
    if (result.numDeletedRows === 0n) return false;
    await trx
      .deleteFrom('credential_scopes')
      .where('resource_type', '=', 'site')
      .where('resource_id', '=', site.id)
      .execute();
    await audit({
      action: 'site.purge',
      resource_type: 'site',
      resource_id: site.id,
      organization_id: site.organization_id,
      before: { name: site.name, subdomain: site.subdomain },
    });
    return true;
  });
}

/**
 * Deletes the versions one by one, in portions: a single statement over thousands of files would block other
 * work.
 */
async function removeVersions(db: Db, siteId: string): Promise<void> {
  const versions = await db.selectFrom('site_versions').select('id').where('site_id', '=', siteId).execute();
  for (const version of versions) {
    await eraseVersion(db, version.id);
  }
}
