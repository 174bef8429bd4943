import type { z } from 'zod';
import type { Trx } from '#db/client.ts';
import { actorName, type RequestContext, requireOperator } from '#server/context.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { describeSuspension, lockAnySite, requireSealedVersion } from './queries.ts';
import { queueSuspensionNotice } from './queue-suspension-notice.ts';
import { type SiteSuspension, siteForOperatorInput, suspendSiteInput } from './schema.ts';

/**
 * Stops serving a site at its own name, its previews and its endpoints, or only one version of it, wherever
 * it is served; returns what was suspended. Members see the suspension with its reason and can keep working;
 * a suspended version cannot be published again. Open reports about it are closed. Suspending again only
 * changes the reason.
 * @throws operator_required, site_not_found, version_not_found
 */
export async function suspendSite(
  context: RequestContext,
  input: z.input<typeof suspendSiteInput>,
): Promise<SiteSuspension> {
  requireOperator(context, 'manage');
  const { site_id, version_id, reason } = suspendSiteInput.parse(input);
  const { app } = context;
  return inUnitOfWork(context, async ({ trx, now, audit, tellEdges }) => {
    const site = await lockAnySite(trx, site_id);
    const version = version_id === undefined ? null : await requireSealedVersion(trx, site.id, version_id);
    const closed = await closeReports(trx, context, { site_id: site.id, version_id, note: reason, now });
    const { suspended_at, suspension_reason } = version ?? site;
    if (suspended_at === null || suspension_reason !== reason) {
      const values = { suspended_at: suspended_at ?? now, suspension_reason: reason };
      await writeSuspension(trx, site.id, version?.id, values);
      await audit({
        action: version ? 'version.suspend' : 'site.suspend',
        resource_type: 'site',
        resource_id: site.id,
        organization_id: site.organization_id,
        before: { suspended_at, reason: suspension_reason },
        after: { suspended_at: values.suspended_at, reason, ...versionOf(version) },
      });
      const { id, organization_id, name } = site;
      if (suspended_at === null) {
        await queueSuspensionNotice(trx, app, {
          organization_id,
          site_id: id,
          name,
          reason,
          number: version?.number,
        });
      }
      tellEdges({ site_id: site.id, hostname: null });
    }
    return describeSuspension(trx, app.config, { site_id: site.id, version_id, closed_reports: closed });
  });
}

/**
 * Serves a site, or a version of it, again and returns it.
 * @throws operator_required, site_not_found, version_not_found
 */
export async function resumeSite(
  context: RequestContext,
  input: z.input<typeof siteForOperatorInput>,
): Promise<SiteSuspension> {
  requireOperator(context, 'manage');
  const { site_id, version_id } = siteForOperatorInput.parse(input);
  const { app } = context;
  return inUnitOfWork(context, async ({ trx, audit, tellEdges }) => {
    const site = await lockAnySite(trx, site_id);
    const version = version_id === undefined ? null : await requireSealedVersion(trx, site.id, version_id);
    const { suspended_at, suspension_reason } = version ?? site;
    if (suspended_at !== null) {
      await writeSuspension(trx, site.id, version?.id, { suspended_at: null, suspension_reason: null });
      await audit({
        action: version ? 'version.resume' : 'site.resume',
        resource_type: 'site',
        resource_id: site.id,
        organization_id: site.organization_id,
        before: { suspended_at, reason: suspension_reason },
        after: version && versionOf(version),
      });
      tellEdges({ site_id: site.id, hostname: null });
    }
    return describeSuspension(trx, app.config, { site_id: site.id, version_id, closed_reports: 0 });
  });
}

/** What the audit log says about the version. */
function versionOf(version: { id: string; number: number } | null) {
  return version ? { version_id: version.id, number: version.number } : {};
}

async function writeSuspension(
  trx: Trx,
  siteId: string,
  versionId: string | undefined,
  values: { suspended_at: number | null; suspension_reason: string | null },
): Promise<void> {
  if (versionId === undefined) await trx.updateTable('sites').set(values).where('id', '=', siteId).execute();
  else await trx.updateTable('site_versions').set(values).where('id', '=', versionId).execute();
}

/** Closes the open reports about a site, or about one version of it, and returns how many. */
async function closeReports(
  trx: Trx,
  { actor }: RequestContext,
  {
    site_id,
    version_id,
    note,
    now,
  }: { site_id: string; version_id: string | undefined; note: string; now: number },
): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('abuse_reports')
    .set({ closed_at: now, outcome: 'suspended', note, closed_by: actorName(actor) })
    .where('site_id', '=', site_id)
    .$if(version_id !== undefined, (query) => query.where('version_id', '=', version_id ?? ''))
    .where('closed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
