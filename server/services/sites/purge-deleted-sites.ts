import type { Db } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { RequestContext } from '#server/context.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { SITE_UNDO_MS } from './rules.ts';

/**
 * Removes for ever the sites whose seven days of undo are over, with their versions, and frees their names. Returns how
 * many. Safe to repeat and to interrupt: each version is one transaction, and a site goes last. Content is collected
 * afterwards with everything that no version names.
 */
export async function purgeDeletedSites(context: RequestContext): Promise<{ purged: number }> {
  const { app } = context;
  const deletedBefore = app.clock.now() - SITE_UNDO_MS;
  const sites = await app.db
    .selectFrom('sites')
    .select(['id', 'organization_id', 'name', 'subdomain'])
    .where('deleted_at', '<=', deletedBefore)
    .execute();
  let purged = 0;
  for (const site of sites) {
    await removeVersions(app.db, site.id);
    const isRemoved = await inTransaction(app.db, async (trx) => {
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
      await recordAudit(trx, context, {
        action: 'site.purge',
        resource_type: 'site',
        resource_id: site.id,
        organization_id: site.organization_id,
        before: { name: site.name, subdomain: site.subdomain },
      });
      return true;
    });
    if (isRemoved) purged += 1;
  }
  return { purged };
}

/** Deletes the versions one by one: a single statement over thousands of manifests would hold up everybody else. */
async function removeVersions(db: Db, siteId: string): Promise<void> {
  const versions = await db.selectFrom('site_versions').select('id').where('site_id', '=', siteId).execute();
  for (const version of versions) {
    await db.deleteFrom('site_versions').where('id', '=', version.id).execute();
  }
}
