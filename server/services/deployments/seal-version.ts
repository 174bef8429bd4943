import type { z } from 'zod';
import type { Executor, Trx } from '#db/client.ts';
import { type AfterCommit, inTransaction } from '#db/transaction.ts';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { requireSite } from '../sites/require-site.ts';
import { buildReport, toReport } from './deploy-report.ts';
import { encodeBlobs } from './encode-blobs.ts';
import { pointSiteAtVersion } from './point-site-at-version.ts';
import {
  countMissing,
  getVersionRow,
  lockSite,
  type SiteRow,
  selectMissingFiles,
  type VersionRow,
} from './queries.ts';
import { readRuleFiles, type VersionRules } from './read-rule-files.ts';
import { type DeployReport, sealVersionInput } from './schema.ts';
import { touchVersion } from './touch-version.ts';

/**
 * Fixes a complete version for ever, makes it current unless `publish` is false, and returns the deploy report. Seal and
 * publish are one transaction: after a crash both stand or neither does. Sealing again changes nothing and answers the
 * same report, except that a version sealed without publishing is published when asked now.
 * @throws version_incomplete naming a file; version_reverted; permission_required, out_of_scope, site_not_found,
 * version_not_found; storage_full
 */
export async function sealVersion(
  context: OrganizationContext,
  input: z.input<typeof sealVersionInput>,
): Promise<DeployReport> {
  requireAction(context, 'deployment.create');
  const { site_id, version_id, publish } = sealVersionInput.parse(input);
  const { app, organization } = context;
  const site = await requireSite(app.db, context, site_id, 'write');
  const version = await getVersionRow(app.db, site, version_id);
  let rules: VersionRules | null = null;
  if (version.sealed_at === null) {
    await touchVersion(app, version);
    await requireComplete(app.db, organization.id, version.id);
    await encodeBlobs(app, version.id);
    rules = await readRuleFiles(app.db, app.blobs, version.id);
  }
  return inTransaction(app.db, async (trx, afterCommit) => {
    const locked = await lockSite(trx, context, site_id);
    const current = await getVersionRow(trx, locked, version_id);
    const isFirstSeal = current.sealed_at === null && rules !== null;
    const sealed = isFirstSeal && rules ? await seal(trx, context, locked, current, rules) : current;
    const isPublished = publish && sealed.published_at === null;
    if (isFirstSeal || isPublished) {
      await recordAudit(trx, context, {
        action: isFirstSeal ? 'version.seal' : 'version.publish',
        resource_type: 'site',
        resource_id: locked.id,
        organization_id: organization.id,
        before: isPublished ? { version_id: locked.current_version_id } : null,
        after: { version_id: sealed.id, number: sealed.number, published: isPublished },
      });
    }
    if (isPublished) await publishSealed(trx, afterCommit, context, locked, sealed);
    const report = toReport(app.config, locked, {
      ...sealed,
      published_at: isPublished ? app.clock.now() : sealed.published_at,
    });
    if (report === null) throw new Error(`version ${sealed.id} is sealed without a report`);
    return report;
  });
}

/** @throws version_incomplete */
async function requireComplete(executor: Executor, organizationId: string, versionId: string): Promise<void> {
  const first = await selectMissingFiles(executor, organizationId, versionId)
    .select('path')
    .orderBy('path')
    .limit(1)
    .executeTakeFirst();
  if (!first) return;
  const count = await countMissing(executor, organizationId, versionId);
  throw new AppError('version_incomplete', { count, path: first.path });
}

async function seal(
  trx: Trx,
  context: OrganizationContext,
  site: SiteRow,
  version: VersionRow,
  rules: VersionRules,
): Promise<VersionRow> {
  const now = context.app.clock.now();
  await requireComplete(trx, context.organization.id, version.id);
  const report = await buildReport(trx, version, site.current_version_id, {
    redirectCount: rules.redirects.length,
    headerRuleCount: rules.headers.length,
    problems: rules.problems,
  });
  const values = {
    sealed_at: now,
    touched_at: now,
    redirect_rules: JSON.stringify(rules.redirects),
    header_rules: JSON.stringify(rules.headers),
    report: JSON.stringify(report),
  };
  const result = await trx
    .updateTable('site_versions')
    .set(values)
    .where('id', '=', version.id)
    .where('sealed_at', 'is', null)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) throw new AppError('conflict');
  return { ...version, ...values };
}

async function publishSealed(
  trx: Trx,
  afterCommit: AfterCommit,
  context: OrganizationContext,
  site: SiteRow,
  version: VersionRow,
): Promise<void> {
  if (version.reverted_at !== null) throw new AppError('version_reverted');
  await pointSiteAtVersion(trx, afterCommit, context.app, site, version.id);
}
