import type { Config } from '../config/config.ts';
import type { RequestContext } from '../context.ts';
import { HOUR_MS, MINUTE_MS } from '../durations.ts';
import { purgeAbuseReports } from '../services/abuse/purge-abuse-reports.ts';
import { pruneAuditEvents } from '../services/audit/prune-audit-events.ts';
import { sendSetUpNotices } from '../services/billing/customers/send-set-up-notices.ts';
import { syncCustomers } from '../services/billing/customers/sync-customer.ts';
import { issueInvoices } from '../services/billing/invoices/issue-invoice.ts';
import { closeMonths } from '../services/billing/months/close-months.ts';
import { collectPayments } from '../services/billing/payments/collect-payment.ts';
import { deliverSandboxEvents } from '../services/billing/payments/deliver-sandbox-events.ts';
import { handleWebhooks, pruneWebhooks } from '../services/billing/payments/handle-webhooks.ts';
import { reconcileBilling } from '../services/billing/payments/reconcile-billing.ts';
import { enforceLimits } from '../services/billing/spending/enforce-limits.ts';
import { purgeReservedHostnames } from '../services/cdn/purge-reserved-hostnames.ts';
import { followRenewalWindows } from '../services/certificates/follow-renewal-windows.ts';
import { inspectDueBundles } from '../services/certificates/inspect-due-bundles.ts';
import { issueDueCertificates } from '../services/certificates/issue-due-certificates.ts';
import { purgeCertificateLeftovers } from '../services/certificates/purge-certificate-leftovers.ts';
import { warnAboutCertificates } from '../services/certificates/warn-about-certificates.ts';
import { collectGarbage } from '../services/deployments/blobs/collect-garbage.ts';
import { condemnStrayBlobs } from '../services/deployments/blobs/condemn-stray-blobs.ts';
import { scrubFiles } from '../services/deployments/blobs/scrub-files.ts';
import { encodeVersions } from '../services/deployments/encodings/encode-versions.ts';
import { removeOldVersions } from '../services/deployments/retention/remove-old-versions.ts';
import { LOST_FILES_JOB } from '../services/deployments/rules.ts';
import { pruneEdgeChanges } from '../services/edge-changes/prune-edge-changes.ts';
import { purgeIdempotencyKeys } from '../services/idempotency/purge-idempotency-keys.ts';
import { deleteExpiredSignIns } from '../services/identity/sign-in/delete-expired-sign-ins.ts';
import { purgeOldMails } from '../services/mail/purge-old-mails.ts';
import { sendDueMails } from '../services/mail/send-due-mails.ts';
import { purgePastInvitations } from '../services/organizations/invitations/purge-past-invitations.ts';
import { purgeExchanged } from '../services/publishers/purge-exchanged.ts';
import { purgeDeletedSites } from '../services/sites/purge-deleted-sites.ts';
import { takePictures } from '../services/sites/take-pictures.ts';
import { emptyBuckets } from '../services/storage/buckets/empty-buckets.ts';
import { foldBucketChanges } from '../services/storage/buckets/fold-bucket-changes.ts';
import { prepareBuckets } from '../services/storage/buckets/prepare-buckets.ts';
import { purgeDeletedBuckets } from '../services/storage/buckets/purge-deleted-buckets.ts';
import { removePieces } from '../services/storage/pieces/remove-pieces.ts';
import { removeStrayPieces } from '../services/storage/pieces/remove-stray-pieces.ts';
import { SCRUB_JOB, scrubPieces } from '../services/storage/pieces/scrub-pieces.ts';
import { abandonRequestedUploads } from '../services/storage/uploads/abandon-requested-uploads.ts';
import { expireUploads } from '../services/storage/uploads/expire-uploads.ts';
import { hastenPlannedWork } from '../services/stuck-work/hasten-planned-work.ts';
import { pruneUsage } from '../services/usage/prune-usage.ts';
import { deliverWebhooks } from '../services/webhooks/deliver-webhooks.ts';
import { purgeWebhookMessages } from '../services/webhooks/purge-webhook-messages.ts';

/** Recurring work: on at most one node at a time, again after `everyMs`. */
export interface Job {
  name: string;
  everyMs: number;
  /** Soon after the start unless given. */
  firstAfterMs?: number;
  /** It deletes, bills or warns people because time has passed, so it waits while the clock may be wrong. */
  trustsClock?: true;
  /** Whether an installation with these settings needs it; always unless given. */
  isFor?(config: Config): boolean;
  /**
   * @param stopping aborts when the process stops: long work ends early and continues after the next start
   * @param mayTrustClock for a job of which only a part waits while the clock may be wrong
   */
  run(
    context: RequestContext,
    stopping: AbortSignal,
    mayTrustClock: () => Promise<boolean>,
  ): Promise<unknown>;
}

const isBilled = ({ billing }: Config) => billing.mode !== null;
const isSandboxed = ({ billing }: Config) => billing.mode === 'sandbox';

/** Every job of the installation. */
export const JOBS: readonly Job[] = [
  { name: 'purge-deleted-sites', trustsClock: true, everyMs: 10 * MINUTE_MS, run: purgeDeletedSites },
  {
    name: 'remove-old-versions',
    trustsClock: true,
    everyMs: HOUR_MS,
    firstAfterMs: 5 * MINUTE_MS,
    run: removeOldVersions,
  },
  { name: 'collect-garbage', trustsClock: true, everyMs: 30 * MINUTE_MS, run: collectGarbage },
  // It lists every stored file, so it avoids the busy time after a start.
  {
    name: 'condemn-stray-blobs',
    trustsClock: true,
    everyMs: 24 * HOUR_MS,
    firstAfterMs: HOUR_MS,
    run: condemnStrayBlobs,
  },
  {
    name: 'delete-expired-sign-ins',
    trustsClock: true,
    everyMs: 10 * MINUTE_MS,
    run: ({ app }, stopping) => deleteExpiredSignIns(app, stopping),
  },
  { name: 'send-due-mails', everyMs: 5_000, firstAfterMs: 2_000, run: (context) => sendDueMails(context) },
  { name: 'deliver-webhooks', everyMs: 500, firstAfterMs: 2_000, run: deliverWebhooks },
  // Until it is compressed, a new deploy is served uncompressed.
  { name: 'encode-versions', everyMs: 2_000, firstAfterMs: 500, run: encodeVersions },
  // Without a browser, too: it then keeps the icons of sites.
  { name: 'take-pictures', everyMs: 2_000, firstAfterMs: 1_000, run: takePictures },
  // Someone is watching: a certificate that can be issued right away is there within seconds.
  { name: 'issue-certificates', everyMs: 2_000, firstAfterMs: 500, run: issueDueCertificates },
  // Each bundle has its own pace; this is how late an inspection can be.
  { name: 'inspect-bundles', everyMs: 3_000, firstAfterMs: 500, run: inspectDueBundles },
  // By a clock that has gone ahead, every certificate has expired.
  {
    name: 'warn-about-certificates',
    trustsClock: true,
    everyMs: HOUR_MS,
    firstAfterMs: MINUTE_MS,
    run: warnAboutCertificates,
  },
  { name: 'follow-renewal-windows', everyMs: 10 * MINUTE_MS, run: followRenewalWindows },
  {
    name: 'purge-certificate-leftovers',
    trustsClock: true,
    everyMs: HOUR_MS,
    run: purgeCertificateLeftovers,
  },
  { name: 'prepare-buckets', everyMs: MINUTE_MS, run: prepareBuckets },
  // Someone is watching its progress.
  { name: 'empty-buckets', everyMs: 1_000, run: emptyBuckets },
  { name: 'abandon-uploads', everyMs: 1_000, run: abandonRequestedUploads },
  { name: 'purge-deleted-buckets', everyMs: 2_000, run: purgeDeletedBuckets },
  { name: 'fold-bucket-changes', everyMs: 5_000, run: foldBucketChanges },
  { name: 'expire-uploads', trustsClock: true, everyMs: HOUR_MS, run: expireUploads },
  { name: 'remove-pieces', trustsClock: true, everyMs: 10 * MINUTE_MS, run: removePieces },
  // It lists every stored piece, as condemn-stray-blobs does every file.
  {
    name: 'remove-stray-pieces',
    trustsClock: true,
    everyMs: 24 * HOUR_MS,
    firstAfterMs: 2 * HOUR_MS,
    run: removeStrayPieces,
  },
  // Slow on purpose: other reads come first.
  { name: SCRUB_JOB, everyMs: MINUTE_MS, firstAfterMs: 5 * MINUTE_MS, run: scrubPieces },
  { name: LOST_FILES_JOB, everyMs: MINUTE_MS, firstAfterMs: 6 * MINUTE_MS, run: scrubFiles },
  { name: 'purge-old-mails', trustsClock: true, everyMs: HOUR_MS, run: purgeOldMails },
  { name: 'purge-abuse-reports', trustsClock: true, everyMs: HOUR_MS, run: purgeAbuseReports },
  {
    name: 'purge-webhook-messages',
    trustsClock: true,
    everyMs: HOUR_MS,
    run: (context, stopping) => purgeWebhookMessages(context, stopping),
  },
  { name: 'purge-past-invitations', trustsClock: true, everyMs: HOUR_MS, run: purgePastInvitations },
  { name: 'purge-reserved-hostnames', trustsClock: true, everyMs: HOUR_MS, run: purgeReservedHostnames },
  { name: 'prune-edge-changes', everyMs: HOUR_MS, run: pruneEdgeChanges },
  { name: 'hasten-planned-work', everyMs: 10 * MINUTE_MS, run: hastenPlannedWork },
  {
    name: 'prune-usage',
    trustsClock: true,
    everyMs: 6 * HOUR_MS,
    firstAfterMs: 10 * MINUTE_MS,
    run: pruneUsage,
  },
  {
    name: 'prune-audit-events',
    trustsClock: true,
    everyMs: HOUR_MS,
    firstAfterMs: 5 * MINUTE_MS,
    run: pruneAuditEvents,
  },
  {
    name: 'deliver-sandbox-events',
    everyMs: 1_000,
    firstAfterMs: 1_000,
    isFor: isSandboxed,
    run: deliverSandboxEvents,
  },
  { name: 'handle-webhooks', everyMs: 2_000, firstAfterMs: 2_000, isFor: isBilled, run: handleWebhooks },
  { name: 'sync-billing-customers', everyMs: MINUTE_MS, isFor: isBilled, run: syncCustomers },
  {
    name: 'send-set-up-notices',
    trustsClock: true,
    everyMs: 10 * MINUTE_MS,
    isFor: isBilled,
    run: sendSetUpNotices,
  },
  // Edges that serve a resource stop it at its limit by themselves; this job notifies people and all other
  // edges. Where nothing is billed any more, it releases what was stopped.
  { name: 'enforce-spending-limits', everyMs: 15_000, run: enforceLimits },
  {
    name: 'close-billing-months',
    trustsClock: true,
    everyMs: 10 * MINUTE_MS,
    isFor: isBilled,
    run: closeMonths,
  },
  { name: 'issue-invoices', trustsClock: true, everyMs: MINUTE_MS, isFor: isBilled, run: issueInvoices },
  { name: 'collect-payments', trustsClock: true, everyMs: MINUTE_MS, isFor: isBilled, run: collectPayments },
  {
    name: 'reconcile-billing',
    trustsClock: true,
    everyMs: HOUR_MS,
    firstAfterMs: 5 * MINUTE_MS,
    isFor: isBilled,
    run: reconcileBilling,
  },
  {
    name: 'prune-webhooks',
    trustsClock: true,
    everyMs: 6 * HOUR_MS,
    firstAfterMs: 10 * MINUTE_MS,
    isFor: isBilled,
    run: pruneWebhooks,
  },
  { name: 'purge-exchanged', trustsClock: true, everyMs: HOUR_MS, run: purgeExchanged },
  { name: 'purge-idempotency-keys', trustsClock: true, everyMs: HOUR_MS, run: purgeIdempotencyKeys },
];
