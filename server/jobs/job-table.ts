import type { RequestContext } from '../context.ts';
import { pruneAuditEvents } from '../services/audit/prune-audit-events.ts';
import { purgeRestingHostnames } from '../services/cdn/purge-resting-hostnames.ts';
import { followRenewalWindows } from '../services/certificates/follow-renewal-windows.ts';
import { inspectDueBundles } from '../services/certificates/inspect-due-bundles.ts';
import { issueDueCertificates } from '../services/certificates/issue-due-certificates.ts';
import { purgeCertificateLeftovers } from '../services/certificates/purge-certificate-leftovers.ts';
import { warnAboutCertificates } from '../services/certificates/warn-about-certificates.ts';
import { collectGarbage } from '../services/deployments/collect-garbage.ts';
import { condemnStrayBlobs } from '../services/deployments/condemn-stray-blobs.ts';
import { encodeVersions } from '../services/deployments/encode-versions.ts';
import { removeOldVersions } from '../services/deployments/remove-old-versions.ts';
import { pruneEdgeChanges } from '../services/edge-changes/prune-edge-changes.ts';
import { purgeIdempotencyKeys } from '../services/idempotency/purge-idempotency-keys.ts';
import { deleteExpiredSignIns } from '../services/identity/delete-expired-sign-ins.ts';
import { purgeOldMails } from '../services/mail/purge-old-mails.ts';
import { sendDueMails } from '../services/mail/send-due-mails.ts';
import { purgePastInvitations } from '../services/organizations/purge-past-invitations.ts';
import { purgeDeletedSites } from '../services/sites/purge-deleted-sites.ts';
import { pruneUsage } from '../services/usage/prune-usage.ts';

/** Work that runs by itself: at most one node at a time, again after `everyMs`. */
export interface Job {
  name: string;
  everyMs: number;
  /** Soon after the start unless given. */
  firstAfterMs?: number;
  /** @param stopping aborts when the process stops: what takes long ends early and goes on after the next start */
  run(context: RequestContext, stopping: AbortSignal): Promise<unknown>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Every job of the installation. */
export const JOBS: readonly Job[] = [
  { name: 'purge-deleted-sites', everyMs: 10 * MINUTE_MS, run: purgeDeletedSites },
  { name: 'remove-old-versions', everyMs: HOUR_MS, firstAfterMs: 5 * MINUTE_MS, run: removeOldVersions },
  { name: 'collect-garbage', everyMs: 30 * MINUTE_MS, run: collectGarbage },
  // It looks at every stored file, so it stays away from the busy time after a start.
  { name: 'condemn-stray-blobs', everyMs: 24 * HOUR_MS, firstAfterMs: HOUR_MS, run: condemnStrayBlobs },
  {
    name: 'delete-expired-sign-ins',
    everyMs: 10 * MINUTE_MS,
    run: ({ app }, stopping) => deleteExpiredSignIns(app, stopping),
  },
  { name: 'send-due-mails', everyMs: 5_000, firstAfterMs: 2_000, run: (context) => sendDueMails(context) },
  // What was just deployed is served as it is meanwhile.
  { name: 'encode-versions', everyMs: 2_000, firstAfterMs: 500, run: encodeVersions },
  // Somebody watches: a certificate that can be had at once is there within seconds.
  { name: 'issue-certificates', everyMs: 2_000, firstAfterMs: 500, run: issueDueCertificates },
  // Each bundle has its own pace; this is how late a look can be.
  { name: 'inspect-bundles', everyMs: 3_000, firstAfterMs: 500, run: inspectDueBundles },
  { name: 'warn-about-certificates', everyMs: HOUR_MS, firstAfterMs: MINUTE_MS, run: warnAboutCertificates },
  { name: 'follow-renewal-windows', everyMs: 10 * MINUTE_MS, run: followRenewalWindows },
  { name: 'purge-certificate-leftovers', everyMs: HOUR_MS, run: purgeCertificateLeftovers },
  { name: 'purge-old-mails', everyMs: HOUR_MS, run: purgeOldMails },
  { name: 'purge-past-invitations', everyMs: HOUR_MS, run: purgePastInvitations },
  { name: 'purge-resting-hostnames', everyMs: HOUR_MS, run: purgeRestingHostnames },
  { name: 'prune-edge-changes', everyMs: HOUR_MS, run: pruneEdgeChanges },
  { name: 'prune-usage', everyMs: 6 * HOUR_MS, firstAfterMs: 10 * MINUTE_MS, run: pruneUsage },
  { name: 'prune-audit-events', everyMs: HOUR_MS, firstAfterMs: 5 * MINUTE_MS, run: pruneAuditEvents },
  { name: 'purge-idempotency-keys', everyMs: HOUR_MS, run: purgeIdempotencyKeys },
];
