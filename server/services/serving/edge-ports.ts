import type { App } from '#server/context.ts';
import type { EdgePorts } from '#server/edge/ports.ts';
import type { MeterOf } from '#server/metering/usage-meters.ts';
import type { IsStoppedHere } from '../billing/is-over-limit.ts';
import { createCopyRepair } from '../deployments/copy-repair.ts';
import { REPLACED_GRACE_MS } from '../deployments/rules.ts';
import { findEdgeCertificate } from './find-edge-certificate.ts';
import { findKnownHost } from './find-known-host.ts';
import { findNewCopies } from './find-new-copies.ts';
import { toEdgeHost } from './known-host.ts';
import { loadEdgeVersion } from './load-edge-version.ts';

/**
 * Returns what the edge needs from the product, answered from the database and the blob store; `meterOf`
 * counts for it.
 */
export function createEdgePorts(
  app: App,
  meterOf: MeterOf = () => null,
  isStoppedHere: IsStoppedHere = () => false,
): EdgePorts {
  const parts = { meterOf, isStoppedHere };
  const lostCopies = createCopyRepair(app);
  return {
    async resolveHost(hostname) {
      const known = await findKnownHost(app, hostname);
      return known && toEdgeHost(app, known, parts);
    },
    findCertificate: (hostname) => findEdgeCertificate(app, hostname),
    loadVersion: (versionId) => loadEdgeVersion(app, versionId),
    findNewCopies: (versionId, after) => findNewCopies(app, versionId, after),
    findReplacedVersions: (siteId) => findReplacedVersions(app, siteId),
    openBlob: (sha256, encoding) => app.blobs.open(sha256, encoding),
    reportLostCopy: (sha256) => lostCopies.repair(sha256),
  };
}

/** Reverted versions are included: pages that are still open on one load the rest of their own files. */
async function findReplacedVersions(app: App, siteId: string): Promise<string[]> {
  const rows = await app.db
    .selectFrom('site_versions')
    .select('id')
    .where('site_id', '=', siteId)
    .where('replaced_at', '>', app.clock.now() - REPLACED_GRACE_MS)
    .where('suspended_at', 'is', null)
    .orderBy('replaced_at', 'desc')
    .execute();
  return rows.map((row) => row.id);
}
