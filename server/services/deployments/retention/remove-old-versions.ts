import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { App, RequestContext } from '#server/context.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { workThrough } from '../../stuck-work/work-through.ts';
import { eraseVersion } from './erase-version.ts';
import { selectUnkeptVersions } from './retention-queries.ts';

/** Versions of one site that one transaction removes. */
const VERSIONS_AT_ONCE = 50;

/**
 * Removes the versions that their sites need not keep, each site's in portions, and returns how many. Within
 * a second their previews are gone; their manifests are deleted afterwards. A site or version that fails
 * waits and does not block others. Safe to repeat and to interrupt.
 */
export async function removeOldVersions(
  context: RequestContext,
  stopping?: AbortSignal,
): Promise<{ removed: number }> {
  const { app } = context;
  let removed = 0;
  await workThrough(app, {
    job: 'remove-old-versions',
    list: (after, limit) =>
      app.db
        .selectFrom('sites')
        .select('id')
        .where('deleted_at', 'is', null)
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),
    nameOf: ({ id }) => id,
    work: async ({ id }) => {
      const before = removed;
      for (let portion = VERSIONS_AT_ONCE; portion === VERSIONS_AT_ONCE && !stopping?.aborted; ) {
        portion = await removePortion(context, id);
        removed += portion;
        await setImmediate();
      }
      return removed > before;
    },
    stopping,
  });
  await eraseRemoved(app, stopping);
  return { removed };
}

/** Removes some versions of a site, under its lock, and returns how many. */
async function removePortion(context: RequestContext, siteId: string): Promise<number> {
  return inUnitOfWork(context, async ({ trx, now, audit, tellEdges }) => {
    // Locked by a write: a rollback to one of them at this moment comes before or after.
    const site = await trx
      .updateTable('sites')
      .set({ updated_at: sql`updated_at` })
      .where('id', '=', siteId)
      .where('deleted_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    if (!site) return 0;
    const versions = await selectUnkeptVersions(trx, site, site, now)
      .select(['id', 'number'])
      .orderBy('number')
      .limit(VERSIONS_AT_ONCE)
      .execute();
    if (versions.length === 0) return 0;
    const ids = versions.map(({ id }) => id);
    await trx.updateTable('site_versions').set({ removed_at: now }).where('id', 'in', ids).execute();
    await trx
      .updateTable('sites')
      .set({ removed_versions: site.removed_versions + versions.length })
      .where('id', '=', siteId)
      .execute();
    await audit({
      action: 'version.remove',
      resource_type: 'site',
      resource_id: siteId,
      organization_id: site.organization_id,
      before: { numbers: versions.map(({ number }) => number) },
      after: { keep_versions: site.keep_versions, keep_days: site.keep_days },
    });
    tellEdges({ site_id: siteId, hostname: null });
    return versions.length;
  });
}

/** Deletes what was removed, by this run or an earlier one. */
async function eraseRemoved(app: App, stopping?: AbortSignal): Promise<void> {
  await workThrough(app, {
    job: 'erase-removed-versions',
    list: (after, limit) =>
      app.db
        .selectFrom('site_versions')
        .select('id')
        .where('removed_at', 'is not', null)
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),
    nameOf: ({ id }) => id,
    work: async ({ id }) => {
      await eraseVersion(app.db, id);
      return true;
    },
    stopping,
  });
}
