import { isPostgres } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { App, RequestContext } from '#server/context.ts';
import { hasRoomForNotice, queueNotice } from '../mail/queue-notice.ts';
import { findAdministrators } from '../organizations/members/find-administrators.ts';
import { toInstant } from '../shared/schema.ts';
import { workThrough } from '../stuck-work/work-through.ts';
import { isListenedTo, queueWebhooks } from '../webhooks/queue-webhooks.ts';
import { findCaaIdentity } from './inspection/find-caa-identity.ts';
import { CERTIFICATE_PROBLEMS } from './rules.ts';
import { type DnsFact, dnsReportSchema } from './schema.ts';
import { composeCertificateWarning } from './warnings/compose-certificate-warning.ts';
import { isWarningDue, stageAt } from './warnings/warning-rules.ts';

/**
 * Emails the owners and administrators of organizations whose certificates cannot currently be renewed, with
 * the record to set and the deadline, and notifies their webhooks; returns for how many certificates. A
 * failure for one does not affect the others.
 */
export async function warnAboutCertificates(
  context: RequestContext,
  stopping?: AbortSignal,
): Promise<{ warned: number }> {
  const { app } = context;
  const warned = await workThrough(app, {
    job: 'warn-about-certificates',
    list: (after, limit) => listWatched(app, after, limit),
    nameOf: ({ id }) => id,
    work: async ({ id, valid_until, ...bundle }) =>
      valid_until !== null &&
      isWarningDue({ ...bundle, valid_until }, app.clock.now()) &&
      (await warn(app, id)),
    stopping,
  });
  return { warned };
}

function listWatched(app: App, after: string, limit: number) {
  return app.db
    .selectFrom('certificate_bundles')
    .select(['id', 'valid_until', 'dns_problem_since', 'attempts', 'warned_at'])
    .where('organization_id', 'is not', null)
    .where('endpoint_id', 'is not', null)
    .where('valid_until', 'is not', null)
    .where((eb) =>
      eb.or([
        eb('dns_problem_since', 'is not', null),
        eb('attempts', '>', 0),
        eb('valid_until', '<=', app.clock.now()),
      ]),
    )
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Two nodes decide one after the other, each on the other's result. */
async function warn(app: App, bundleId: string): Promise<boolean> {
  const now = app.clock.now();
  const authority = await findCaaIdentity(app);
  return inTransaction(app.db, async (trx) => {
    const row = await trx
      .selectFrom('certificate_bundles')
      .where('id', '=', bundleId)
      .select([
        'organization_id',
        'endpoint_id',
        'domain_name',
        'valid_until',
        'dns_problem_since',
        'dns_report',
        'attempts',
        'warned_at',
        'failure_code',
      ])
      // The second of two waits for the first.
      .$if(isPostgres(trx), (query) => query.forNoKeyUpdate())
      .executeTakeFirst();
    if (!row || row.organization_id === null || row.valid_until === null) return false;
    const { organization_id, valid_until } = row;
    if (!isWarningDue({ ...row, valid_until }, now)) return false;
    // With no one to notify, the console shows the same; recipients who are added later are notified then.
    if (!app.config.mail && !(await isListenedTo(trx, organization_id, 'certificate.expiring'))) return false;
    const administrators = await findAdministrators(trx, organization_id);
    const addresses = administrators.map(({ email }) => email);
    // When very many certificates are affected, a later run warns of the rest.
    if (app.config.mail && addresses.length > 0 && !(await hasRoomForNotice(app, addresses))) return false;
    await trx.updateTable('certificate_bundles').set({ warned_at: now }).where('id', '=', bundleId).execute();
    await queueWebhooks(trx, app, organization_id, 'certificate.expiring', {
      hostname: row.domain_name,
      endpoint_id: row.endpoint_id,
      valid_until: toInstant(valid_until),
      is_expired: valid_until <= now,
    });
    const facts = {
      hostname: row.domain_name,
      stage: stageAt(valid_until, now),
      validUntil: valid_until,
      authority,
      fact: wrongFactOf(row.dns_report, row.dns_problem_since !== null),
      failure: CERTIFICATE_PROBLEMS.find((code) => code === row.failure_code) ?? null,
      link: `${app.config.publicUrl}/${organization_id}/endpoints/${row.endpoint_id}`,
    };
    for (const { email, language } of administrators) {
      await queueNotice(trx, app, {
        recipient: email,
        message: composeCertificateWarning(app, language, facts),
        resource_type: 'certificate',
        resource_id: bundleId,
      });
    }
    app.logger.warn(
      { bundle: bundleId, domain: row.domain_name, stage: facts.stage },
      'a certificate cannot currently be renewed: its organization was notified',
    );
    return true;
  });
}

/**
 * The record in the way, as last seen; null when the cause is not a record of the customer.
 * @param isLost whether a record was found wrong and could not be looked up since
 */
function wrongFactOf(stored: string | null, isLost: boolean): DnsFact | null {
  const report = dnsReportSchema.safeParse(JSON.parse(stored ?? 'null'));
  const facts = report.success ? report.data.facts.filter(({ fact }) => fact !== 'traffic') : [];
  const isWrong = ({ status, problem }: DnsFact) =>
    (status === 'missing' || status === 'wrong') && problem !== 'challenge_zone_unreachable';
  const isUnknown = ({ status, expected }: DnsFact) => status === 'unknown' && expected.length > 0;
  return facts.find(isWrong) ?? (isLost ? facts.find(isUnknown) : null) ?? null;
}
