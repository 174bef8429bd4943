import type { Trx } from '#db/client.ts';
import type { PaymentAttemptsTable } from '#db/schema/payment-attempts.ts';
import { inTransaction } from '#db/transaction.ts';
import type { App, RequestContext } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { toInstant } from '../../shared/schema.ts';
import { workThrough } from '../../stuck-work/work-through.ts';
import { queueWebhooks } from '../../webhooks/queue-webhooks.ts';
import { applyProviderInvoice, factsOf, type InvoiceRow, lockInvoice } from '../invoices/follow-invoice.ts';
import { listInvoiceIds } from '../invoices/list-invoice-ids.ts';
import { queuePaymentProblem } from '../invoices/queue-invoice-mail.ts';
import { PROVIDER_CALLS_AT_ONCE } from '../require-payments.ts';
import { nextAttemptAt, type PaymentProblem } from './dunning-rules.ts';

/**
 * An attempt with an unknown result is retried with the same key for this long; the provider drops keys
 * after a day.
 */
const SAME_KEY_MS = 20 * 3_600_000;
/** Other runs leave the invoice alone for this long. */
const CLAIMED_MS = 10 * 60_000;

interface Claim {
  row: InvoiceRow & { provider_id: string };
  attemptId: string;
  /** Null without a card to charge. */
  cardId: string | null;
  /** Until then other runs leave the invoice alone. */
  until: number;
}

/**
 * Charges the amount due of an invoice to the default card, without the payer present. Each attempt is a row
 * before the provider is called; one whose response was lost is retried with its own key, so that nothing is
 * charged twice.
 */
async function collectPayment(
  context: RequestContext,
  invoiceId: string,
  reason: PaymentAttemptsTable['reason'] = 'dunning',
): Promise<void> {
  const { app } = context;
  if (!app.payments) return;
  const claim = await claimInvoice(app, invoiceId, reason);
  if (claim === null) return;
  const { row, attemptId, cardId } = claim;
  if (cardId === null) return postpone(app, claim, 'no_payment_method', 'no card');
  const { provider } = await app.payments.open();
  const { outcome, detail } = await provider.payInvoice(row.provider_id, attemptId, cardId);
  if (outcome !== 'paid') return postpone(app, claim, outcome, detail);
  await endPaidAttempt(app, attemptId);
  await applyProviderInvoice(context, row.id, await provider.getInvoice(row.provider_id));
}

/** Starts an attempt, or continues one with an unknown result; null when there is nothing to do. */
function claimInvoice(
  app: App,
  invoiceId: string,
  reason: PaymentAttemptsTable['reason'],
): Promise<Claim | null> {
  const now = app.clock.now();
  return inTransaction(app.db, async (trx) => {
    const { provider_id, ...locked } = await lockInvoice(trx, invoiceId);
    const isOwed = locked.status === 'open' || locked.status === 'uncollectible';
    if (!isOwed || provider_id === null) return null;
    const row = { ...locked, provider_id };
    if (row.next_attempt_at === null || row.next_attempt_at > now) return null;
    const known = await findUnendedAttempt(trx, row.id, now);
    // Another run is working on it, and another card has become the default since: it is charged once that run is done.
    if (known && known.started_at > now - CLAIMED_MS && known.started_at <= now) return null;
    const until = now + CLAIMED_MS;
    await trx.updateTable('invoices').set({ next_attempt_at: until }).where('id', '=', row.id).execute();
    const card = await findDefaultCard(trx, row);
    if (known) return { row, attemptId: known.id, cardId: known.card ?? card?.provider_id ?? null, until };
    const attemptId = newId(now);
    await trx
      .insertInto('payment_attempts')
      .values({
        id: attemptId,
        organization_id: row.organization_id,
        mode: row.mode,
        invoice_id: row.id,
        reason: row.attempts === 0 ? 'month_end' : reason,
        payment_method_id: card?.id ?? null,
        started_at: now,
        ended_at: null,
        outcome: null,
        detail: null,
      })
      .execute();
    return { row, attemptId, cardId: card?.provider_id ?? null, until };
  });
}

async function findUnendedAttempt(trx: Trx, invoiceId: string, now: number) {
  return (
    trx
      .selectFrom('payment_attempts')
      .leftJoin('payment_methods', 'payment_methods.id', 'payment_attempts.payment_method_id')
      .select(['payment_attempts.id', 'payment_attempts.started_at', 'payment_methods.provider_id as card'])
      .where('payment_attempts.invoice_id', '=', invoiceId)
      .where('payment_attempts.ended_at', 'is', null)
      // A payment by other means charges no card.
      .where('payment_attempts.reason', '!=', 'elsewhere')
      .where('payment_attempts.started_at', '>', now - SAME_KEY_MS)
      .orderBy('payment_attempts.started_at', 'desc')
      .executeTakeFirst()
  );
}

async function findDefaultCard(trx: Trx, row: InvoiceRow) {
  return trx
    .selectFrom('billing_customers')
    .innerJoin('payment_methods', 'payment_methods.id', 'billing_customers.default_payment_method_id')
    .select(['payment_methods.id', 'payment_methods.provider_id'])
    .where('billing_customers.organization_id', '=', row.organization_id)
    .where('billing_customers.mode', '=', row.mode)
    .executeTakeFirst();
}

async function endPaidAttempt(app: App, attemptId: string): Promise<void> {
  await app.db
    .updateTable('payment_attempts')
    .set({ ended_at: app.clock.now(), outcome: 'paid', detail: null })
    .where('id', '=', attemptId)
    .where('ended_at', 'is', null)
    .execute();
}

/** Records why it failed and when it is retried, and writes to the people who can do something about it. */
async function postpone(
  app: App,
  { row: { id, finalized_at, created_at }, attemptId, until }: Claim,
  problem: PaymentProblem,
  detail: string | null,
): Promise<void> {
  const now = app.clock.now();
  await inTransaction(app.db, async (trx) => {
    const row = await lockInvoice(trx, id);
    const outcome = problem === 'no_payment_method' ? 'failed' : problem;
    const { numUpdatedRows } = await trx
      .updateTable('payment_attempts')
      .set({ outcome, detail, ended_at: now })
      .where('id', '=', attemptId)
      .where('ended_at', 'is', null)
      .executeTakeFirst();
    // Paid by other means in the meantime, or already reported.
    if (numUpdatedRows === 0n || (row.status !== 'open' && row.status !== 'uncollectible')) return;
    // Another card has become the default meanwhile.
    const isDue = row.next_attempt_at !== null && row.next_attempt_at < until;
    const next_attempt_at = isDue ? row.next_attempt_at : nextAttemptAt(finalized_at ?? created_at, now);
    await trx
      .updateTable('invoices')
      .set({
        attempts: row.attempts + 1,
        next_attempt_at,
        dunning_reason: problem,
        updated_at: now,
      })
      .where('id', '=', id)
      .execute();
    await queuePaymentProblem(trx, app, row, problem);
    await queueWebhooks(trx, app, row.organization_id, 'invoice.payment_failed', {
      ...factsOf(row),
      problem,
      next_attempt_at: toInstant(next_attempt_at),
    });
  });
}

/** Charges every invoice that is due for an attempt. Returns how many were attempted. */
export async function collectPayments(context: RequestContext, stopping?: AbortSignal): Promise<number> {
  const { app } = context;
  return workThrough(app, {
    job: 'collect-payments',
    list: (after, limit) =>
      listInvoiceIds(app, { statuses: ['open', 'uncollectible'], dueBy: app.clock.now() }, after, limit),
    nameOf: ({ id }) => id,
    atOnce: PROVIDER_CALLS_AT_ONCE,
    work: async ({ id }) => {
      await collectPayment(context, id);
      return true;
    },
    stopping,
  });
}
