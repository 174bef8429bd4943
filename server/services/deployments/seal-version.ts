import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import type { Trx } from '#db/client.ts';
import { type OrganizationContext, requireAction, requirePublishRight } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { holdLease } from '../leases/hold-lease.ts';
import { inUnitOfWork, type UnitOfWork } from '../shared/unit-of-work.ts';
import { requireSite } from '../sites/require-site.ts';
import { queueWebhooks } from '../webhooks/queue-webhooks.ts';
import { toReport } from './deploy-report.ts';
import { describePublished } from './describe-published.ts';
import { pointSiteAtVersion } from './point-site-at-version.ts';
import { type PreparedSeal, prepareSeal } from './prepare-seal.ts';
import { getVersionRow, lockSite, type SiteRow, type VersionRow } from './queries.ts';
import { storeRuleSet } from './rule-sets/store-rule-set.ts';
import { type DeployReport, sealVersionInput } from './schema.ts';
import { touchVersion } from './touch-version.ts';

/** How often a version is checked again because the site has changed meanwhile. */
const ATTEMPTS_MAX = 5;
/** How long to wait for another process that is checking the version. */
const OTHER_PROCESS_WAIT_MS = 60_000;
const OTHER_PROCESS_POLL_MS = 200;

/**
 * Seals a complete version, makes it current unless `publish` is false, and returns the deploy report. Seal
 * and publish are one transaction: after a crash either both or neither are done. Sealing again changes
 * nothing and returns the same report, except that a version sealed without publishing is published when
 * requested now. A version older than the current one never replaces it: it stays a preview, and the report
 * names the newer one in `superseded_by`. Encoded copies of its files are created afterwards
 * (encode-versions.ts).
 * However many requests seal a version at the same time, it is checked once: in this process by sharing the
 * work, across processes under a lease.
 * @throws version_incomplete naming a file; path_collision, path_under_file, size_mismatch, manifest_empty;
 * version_reverted, version_suspended, version_being_sealed, organization_busy; permission_required,
 * out_of_scope, site_not_found, version_not_found; storage_full
 */
export async function sealVersion(
  context: OrganizationContext,
  input: z.input<typeof sealVersionInput>,
): Promise<DeployReport> {
  requireAction(context, 'deployment.create');
  const { site_id, version_id, publish, file_count } = sealVersionInput.parse(input);
  if (publish) requirePublishRight(context);
  const { app } = context;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const site = await requireSite(app.db, context, site_id, 'write');
    const version = await getVersionRow(app.db, site, version_id);
    if (file_count !== undefined && file_count !== version.file_count) {
      throw new AppError('manifest_incomplete', { count: version.file_count, expected: file_count });
    }
    const prepared = version.sealed_at === null ? await prepareOnce(context, site, version) : null;
    const report = await inUnitOfWork(context, (unit) =>
      sealAndPublish(unit, context, { site_id, version_id, publish }, prepared),
    );
    if (report !== null) return report;
  }
  throw new AppError('conflict');
}

/** Prepares what the seal writes; null when another process has sealed the version in the meantime. */
async function prepareOnce(
  { app, organization }: OrganizationContext,
  site: SiteRow,
  version: VersionRow,
): Promise<PreparedSeal | null> {
  await touchVersion(app, version);
  return app.deployWork.sealing.run(`${version.id} ${site.current_version_id}`, async () => {
    const deadline = Date.now() + OTHER_PROCESS_WAIT_MS;
    for (;;) {
      const held = await holdLease(app, `seal ${version.id}`, () =>
        app.deployWork.seals.run(organization.id, async () => {
          return prepareSeal(app, site, version).catch(async (error: unknown) => {
            // A version that is being removed has no complete manifest: it is gone, not invalid.
            await getVersionRow(app.db, site, version.id);
            throw error;
          });
        }),
      );
      if (held) return held.result;
      if (Date.now() > deadline) throw new AppError('version_being_sealed');
      await wait(OTHER_PROCESS_POLL_MS);
      if ((await getVersionRow(app.db, site, version.id)).sealed_at !== null) return null;
    }
  });
}

/** Returns the report, or null when the preparation is outdated and nothing was changed. */
async function sealAndPublish(
  unit: UnitOfWork,
  context: OrganizationContext,
  wanted: { site_id: string; version_id: string; publish: boolean },
  prepared: PreparedSeal | null,
): Promise<DeployReport | null> {
  const { trx, now, audit } = unit;
  const { app, organization } = context;
  const site = await lockSite(trx, context, wanted.site_id);
  const current = await getVersionRow(trx, site, wanted.version_id);
  const isFirstSeal = current.sealed_at === null;
  if (isFirstSeal && !isStillTrue(prepared, site, current)) return null;
  const sealed = isFirstSeal && prepared ? await seal(unit, current, prepared) : current;
  const isWanted = wanted.publish && sealed.published_at === null;
  const supersededBy = isWanted ? await findNewerCurrent(trx, site, sealed) : null;
  const isPublished = isWanted && supersededBy === null;
  if (isFirstSeal || isPublished) {
    await audit({
      action: isFirstSeal ? 'version.seal' : 'version.publish',
      resource_type: 'site',
      resource_id: site.id,
      organization_id: organization.id,
      before: isPublished ? { version_id: site.current_version_id } : null,
      after: { version_id: sealed.id, number: sealed.number, published: isPublished },
    });
  }
  if (isPublished) {
    if (sealed.reverted_at !== null) throw new AppError('version_reverted');
    await queueWebhooks(
      trx,
      app,
      organization.id,
      'deploy.published',
      describePublished(context, site, sealed),
    );
    await pointSiteAtVersion(unit, site, sealed.id);
  }
  const published = { ...sealed, published_at: isPublished ? now : sealed.published_at };
  const report = toReport(app.config, site, published, supersededBy);
  if (report === null) throw new Error(`version ${sealed.id} is sealed without a report`);
  return report;
}

/** Whether the version still has the files that were checked, and is compared with what is current now. */
function isStillTrue(prepared: PreparedSeal | null, site: SiteRow, version: VersionRow): boolean {
  return (
    prepared !== null &&
    prepared.report.compared_with === site.current_version_id &&
    prepared.report.file_count === version.file_count
  );
}

/** Returns the number of the current version when it is newer than this one. */
async function findNewerCurrent(trx: Trx, site: SiteRow, version: VersionRow): Promise<number | null> {
  if (site.current_version_id === null) return null;
  const current = await getVersionRow(trx, site, site.current_version_id);
  return current.number > version.number ? current.number : null;
}

async function seal(
  { trx, now }: UnitOfWork,
  version: VersionRow,
  { rules, report }: PreparedSeal,
): Promise<VersionRow> {
  const values = {
    sealed_at: now,
    touched_at: now,
    rules_sha256: await storeRuleSet(trx, rules, now),
    report: JSON.stringify(report),
  };
  const result = await trx
    .updateTable('site_versions')
    .set(values)
    .where('id', '=', version.id)
    .where('sealed_at', 'is', null)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) throw new AppError('conflict');
  return { ...version, ...values };
}
