import type { Selectable } from 'kysely';
import type { CertificateOrdersTable } from '#db/schema/certificate-orders.ts';
import { AuthorityError } from '#server/certificate-authority/authority.ts';
import type { App } from '#server/context.ts';
import { challengeName, type IssueStep } from '../rules.ts';
import { IssueFailure } from './issue-failure.ts';
import type { IssuePause } from './issue-pause.ts';
import { growingPauses } from './issue-rules.ts';
import { makeCertificateRequest } from './order-key.ts';
import { publishChallenge } from './publish-challenge.ts';

export type OrderRow = Selectable<CertificateOrdersTable>;

/** The bundle of an order. */
export interface OrderedBundle {
  id: string;
  domain_name: string;
  dns_challenge_id: string;
  /** Failed attempts since the last success. */
  attempts: number;
}

const POLL = { firstMs: 500, longestMs: 10_000, boundMs: 120_000 };
const VISIBLE = { firstMs: 500, longestMs: 8_000, boundMs: 60_000 };
/**
 * Checks in a row that must find the values when lookups are unreliable: a timeout at the authority ends the
 * order, and another one counts towards its limits.
 */
const SIGHTINGS_IN_TROUBLE = 4;

/**
 * Continues an order from any step to its certificate and returns the chain. Every step can be repeated:
 * after a crash the same order continues, and nothing is requested from the authority twice.
 * @throws IssueFailure, AuthorityError
 */
export async function completeOrder(
  app: App,
  bundle: OrderedBundle,
  order: OrderRow,
  pause: IssuePause,
): Promise<string> {
  const { authority } = app;
  const url = order.order_url;
  const pauses = growingPauses(POLL.firstMs, POLL.longestMs, POLL.boundMs);
  const waitLonger = async () => {
    const next = pauses.next();
    if (next.done) {
      throw new IssueFailure('authority_unavailable', 'The authority is still processing the order.');
    }
    await pause(next.value);
  };
  let isAnswered = false;
  let isFinalized = false;
  for (;;) {
    const { status, txtValues, problem, isUnseen } = await authority.readOrder(url);
    if (status === 'invalid') {
      // An order that had ended before this run was not refused: it expired, and another one is opened
      // immediately.
      if (!isAnswered && !isFinalized && problem === null) {
        throw new AuthorityError('gone', 'The order has expired.');
      }
      throw new IssueFailure('refused', problem ?? 'The authority refused the order.', { endsOrder: true });
    }
    if (status === 'valid') {
      await setStep(app, order, 'download');
      return authority.download(url);
    }
    if (status === 'pending' && (!isAnswered || isUnseen)) {
      if (isAnswered) await waitLonger();
      await setStep(app, order, 'publish');
      await publish(app, bundle, txtValues);
      if (authority.needsProof) await requireVisible(app, bundle, txtValues, pause);
      await setStep(app, order, 'challenge');
      await authority.answerChallenges(url);
      isAnswered = true;
      continue;
    }
    if (status === 'ready' && !isFinalized) {
      await setStep(app, order, 'finalize');
      const key = app.sealer.open(order.key_sealed, bundle.id);
      await authority.finalize(url, await makeCertificateRequest(key, bundle.domain_name));
      isFinalized = true;
      continue;
    }
    await waitLonger();
  }
}

/** @throws IssueFailure dns_unavailable when the operator's name server does not accept the values */
async function publish(app: App, bundle: OrderedBundle, values: readonly string[]): Promise<void> {
  try {
    await publishChallenge(app, bundle.dns_challenge_id, values);
  } catch (error) {
    app.logger.error({ err: error, bundle: bundle.id }, 'challenge values could not be published');
    const name = `${bundle.dns_challenge_id}.${app.config.acmeZone}`;
    throw new IssueFailure('dns_unavailable', name, { cause: error });
  }
}

/** Stores the step of the order: the console shows it. */
async function setStep(app: App, order: OrderRow, step: IssueStep): Promise<void> {
  await app.db
    .updateTable('certificate_orders')
    .set({ step, updated_at: app.clock.now() })
    .where('bundle_id', '=', order.bundle_id)
    .where('order_url', '=', order.order_url)
    .execute();
}

/**
 * Resolves once the values are visible from outside: an authority that checked too early would count a failed
 * validation. When a lookup is not answered, or an attempt has failed before, they must be seen several times
 * in a row.
 * @throws IssueFailure challenge_invisible, or dns_unavailable when nothing could be looked up
 */
async function requireVisible(
  app: App,
  { domain_name, attempts }: OrderedBundle,
  values: readonly string[],
  pause: IssuePause,
): Promise<void> {
  const name = challengeName(domain_name);
  let wanted = attempts > 0 ? SIGHTINGS_IN_TROUBLE : 1;
  let sightings = 0;
  let isUnanswered = false;
  const isVisible = async () => {
    const seen = await app.lookup.txt(name);
    const records: readonly string[] = seen.kind === 'found' ? seen.records : [];
    isUnanswered = seen.kind === 'timeout' || seen.kind === 'failed';
    if (isUnanswered) wanted = SIGHTINGS_IN_TROUBLE;
    sightings = values.every((value) => records.includes(value)) ? sightings + 1 : 0;
    return sightings >= wanted;
  };
  if (await isVisible()) return;
  for (const ms of growingPauses(VISIBLE.firstMs, VISIBLE.longestMs, VISIBLE.boundMs)) {
    await pause(ms);
    if (await isVisible()) return;
  }
  throw new IssueFailure(isUnanswered ? 'dns_unavailable' : 'challenge_invisible', name);
}
