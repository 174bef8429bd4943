import { runForAsker } from '#db/asker.ts';
import type { App } from '#server/context.ts';
import type { EdgePorts } from '#server/edge/ports.ts';
import type { MeterOf } from '#server/metering/usage-meters.ts';
import { isOutage } from '#server/outage.ts';
import type { IsStoppedHere } from '../billing/spending/is-over-limit.ts';
import { createCopyRepair } from '../deployments/encodings/copy-repair.ts';
import { REPLACED_GRACE_MS } from '../deployments/rules.ts';
import { findSealedCertificate, openCertificate } from './find-edge-certificate.ts';
import { findKnownHost } from './find-known-host.ts';
import { findNewCopies } from './find-new-copies.ts';
import type { EdgeKnowledge } from './knowledge/edge-knowledge.ts';
import { toEdgeHost, withOwnStops } from './known-host.ts';
import { loadEdgeVersion } from './load-edge-version.ts';

/**
 * Creates the ports of the edge, answered from the database and the blob store; `meterOf` counts for it. What
 * is read is kept in `knowledge`, and recalled from there in an outage.
 */
export function createEdgePorts(
  app: App,
  meterOf: MeterOf = () => null,
  isStoppedHere: IsStoppedHere = () => false,
  knowledge: EdgeKnowledge | null = null,
): EdgePorts {
  const parts = { meterOf, isStoppedHere };
  const lostCopies = createCopyRepair(app);
  return {
    forVisitor: runForAsker,
    async resolveHost(hostname) {
      const askedAt = app.clock.now();
      const known = await findKnownHost(app, hostname);
      knowledge?.noteHost(hostname, known && withOwnStops(known, parts), askedAt);
      return known && toEdgeHost(app, known, parts);
    },
    async recallHost(hostname, error) {
      const known = isOutage(error) ? await knowledge?.recallHost(hostname) : null;
      return known ? toEdgeHost(app, known, parts) : null;
    },
    async findCertificate(hostname) {
      const askedAt = app.clock.now();
      const sealed = await findSealedCertificate(app, hostname);
      knowledge?.noteCertificate(hostname, sealed, askedAt);
      return sealed && openCertificate(app, sealed);
    },
    async recallCertificate(hostname, error) {
      const sealed = isOutage(error) ? await knowledge?.recallCertificate(hostname) : null;
      return sealed ? openCertificate(app, sealed) : null;
    },
    async loadVersion(versionId) {
      try {
        const version = await loadEdgeVersion(app, versionId);
        if (version !== null) knowledge?.noteVersion(version);
        return version;
      } catch (error) {
        const kept = isOutage(error) ? await knowledge?.recallVersion(versionId) : null;
        if (!kept) throw error;
        return kept;
      }
    },
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
