import type { Selectable } from 'kysely';
import type { CertificateBundlesTable } from '#db/schema/certificate-bundles.ts';
import { AuthorityError } from '#server/certificate-authority/authority.ts';
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts';
import type { App, RequestContext } from '#server/context.ts';
import {
  ASK_AGAIN_AFTER_FAILURE_MS,
  askAgainAt,
  attemptAfterPlan,
  replannedRenewal,
} from './issuing/renewal-rules.ts';
import { isLocalName } from './rules.ts';

const BATCH = 500;
const AT_ONCE_MAX = 4;
const COLUMNS = [
  'id',
  'certificate',
  'issued_at',
  'valid_from',
  'valid_until',
  'renew_at',
  'next_issue_at',
  'attempts',
] as const;
type Row = Pick<Selectable<CertificateBundlesTable>, (typeof COLUMNS)[number]>;

/**
 * Asks the authority for the renewal windows of its certificates, if it has them and it is time to ask, and
 * schedules the renewals accordingly: one that is wanted immediately, e.g. because of a revocation, begins
 * immediately. Certificates of a previous authority are renewed at the current one. Returns how many windows
 * were read and how many certificates move to another authority.
 */
export async function followRenewalWindows(
  context: RequestContext,
): Promise<{ asked: number; changed_hands: number }> {
  const { app } = context;
  const changed_hands = await changeHands(app);
  const due = await app.db
    .selectFrom('certificate_bundles')
    .select(COLUMNS)
    .where('renewal_info_at', '<=', app.clock.now())
    .where('authority', '=', app.authority.name)
    .orderBy('renewal_info_at')
    .limit(BATCH)
    .execute();
  let isAway = false;
  let asked = 0;
  await mapConcurrently(due, AT_ONCE_MAX, async (row) => {
    if (isAway) return;
    asked += 1;
    isAway = (await ask(app, row)) === 'away';
  });
  return { asked, changed_hands };
}

async function ask(app: App, row: Row): Promise<'answered' | 'away'> {
  const { certificate, issued_at, valid_from, valid_until } = row;
  if (certificate === null || issued_at === null || valid_from === null || valid_until === null) {
    await plan(app, row, { renewal_info_at: null });
    return 'answered';
  }
  try {
    const window = await app.authority.findRenewalWindow(certificate);
    const now = app.clock.now();
    if (window === null) {
      await plan(app, row, { renewal_info_at: null });
      return 'answered';
    }
    const validity = { validFrom: valid_from, validUntil: valid_until, issuedAt: issued_at };
    const renewAt = replannedRenewal(row.renew_at, validity, window, now, Math.random());
    await plan(app, row, {
      renew_at: renewAt,
      next_issue_at: attemptAfterPlan(row, renewAt),
      renewal_info_at: askAgainAt(window.askAgainAt, now),
    });
    return 'answered';
  } catch (error) {
    // Whatever went wrong, it is not read again immediately and does not block other certificates.
    await plan(app, row, { renewal_info_at: app.clock.now() + ASK_AGAIN_AFTER_FAILURE_MS });
    if (!(error instanceof AuthorityError)) {
      app.logger.error({ err: error, bundle: row.id }, 'a renewal window could not be read');
      return 'answered';
    }
    app.logger.info({ err: error, bundle: row.id }, 'the authority provides no renewal window');
    return error.kind === 'unavailable' || error.kind === 'limited' ? 'away' : 'answered';
  }
}

/**
 * Stores the plan while the certificate is the one that was asked about and no attempt has ended meanwhile.
 */
async function plan(
  app: App,
  row: Row,
  values: { renewal_info_at: number | null; renew_at?: number; next_issue_at?: number },
): Promise<void> {
  await app.db
    .updateTable('certificate_bundles')
    .set(values)
    .where('id', '=', row.id)
    .where('issued_at', '=', row.issued_at)
    .where('attempts', '=', row.attempts)
    .execute();
}

/**
 * After ACME_DIRECTORY_URL was set or changed, existing certificates are replaced gradually, as the limits
 * allow.
 */
async function changeHands(app: App): Promise<number> {
  const now = app.clock.now();
  const rows = await app.db
    .selectFrom('certificate_bundles')
    .select(['id', 'domain_name'])
    .where('authority', '!=', app.authority.name)
    .where('attempts', '=', 0)
    .where('next_issue_at', '>', now)
    .limit(BATCH)
    .execute();
  const ids = rows
    .filter(({ domain_name }) => !(app.authority.needsProof && isLocalName(domain_name)))
    .map(({ id }) => id);
  if (ids.length === 0) return 0;
  await app.db
    .updateTable('certificate_bundles')
    .set({ next_issue_at: now, renewal_info_at: null })
    .where('id', 'in', ids)
    .where('attempts', '=', 0)
    .execute();
  return ids.length;
}
