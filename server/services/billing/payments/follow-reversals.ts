import type { Selectable } from 'kysely';
import type { PaymentReversalsTable } from '#db/schema/payment-reversals.ts';
import type { RequestContext } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import type { PaymentProvider, ProviderReversal } from '#server/payments/payment-provider.ts';
import { inUnitOfWork, type UnitOfWork } from '../../shared/unit-of-work.ts';
import { workThrough } from '../../stuck-work/work-through.ts';
import { queueWebhooks } from '../../webhooks/queue-webhooks.ts';
import { factsOf, type InvoiceRow, lockInvoice } from '../invoices/follow-invoice.ts';
import { queueRefundMail, queueRejectedRefundMail } from '../invoices/queue-invoice-mail.ts';
import { listReversals } from './list-reversals.ts';

type KnownReversal = Pick<
  Selectable<PaymentReversalsTable>,
  'provider_id' | 'status' | 'amount_cents' | 'reason'
>;

/** How often the provider is read again because another event was written meanwhile. */
const READS_MAX = 5;
/** Refunds and disputes are compared with the provider's for this long after they began: banks take months to decide. */
const COMPARED_MS = 400 * DAY_MS;

/** Updates what is known of the payment that a charge, a refund or a dispute belongs to. Those of no invoice of ours are ignored. */
export async function followReversal(
  context: RequestContext,
  provider: PaymentProvider,
  objectType: 'charge' | 'refund' | 'dispute',
  objectId: string,
): Promise<void> {
  const payment = await provider.getPaymentOf(objectType, objectId);
  const invoice = payment === null ? null : await provider.findInvoiceOf(payment);
  if (invoice !== null) await followReversalsOf(context, provider, invoice);
}

/**
 * Fetches the refunds and disputes of an invoice and updates ours to match, in whatever order events arrive: what was read before
 * another event was written is read again.
 */
export async function followReversalsOf(
  context: RequestContext,
  provider: PaymentProvider,
  providerId: string,
): Promise<void> {
  const { db } = context.app;
  const invoice = await db
    .selectFrom('invoices')
    .select('id')
    .where('mode', '=', provider.mode)
    .where('provider_id', '=', providerId)
    .executeTakeFirst();
  if (!invoice) return;
  for (let read = 0; read < READS_MAX; read += 1) {
    const before = await listReversals(db, [invoice.id]);
    const seen = await provider.listReversals(providerId);
    if (await storeReversals(context, invoice.id, before, seen)) return;
  }
  throw new Error(`the reversals of the invoice ${invoice.id} keep changing`);
}

/** Returns false when ours are no longer those that were there before the provider was asked. */
function storeReversals(
  context: RequestContext,
  invoiceId: string,
  before: readonly KnownReversal[],
  seen: readonly ProviderReversal[],
): Promise<boolean> {
  return inUnitOfWork(context, async (unit) => {
    const { trx } = unit;
    const invoice = await lockInvoice(trx, invoiceId);
    const known = await listReversals(trx, [invoiceId]);
    if (JSON.stringify(known) !== JSON.stringify(before)) return false;
    for (const reversal of seen) {
      const own = known.find(({ provider_id }) => provider_id === reversal.id);
      if (!isSame(own, reversal)) await storeReversal(context, unit, invoice, reversal, own?.status ?? null);
    }
    return true;
  });
}

function isSame(own: KnownReversal | undefined, { status, amountCents, reason }: ProviderReversal): boolean {
  return own?.status === status && own.amount_cents === amountCents && own.reason === reason;
}

/** Stores a reversal, and on a change of its status records it and notifies those whom it concerns. */
async function storeReversal(
  { app }: RequestContext,
  { trx, now, audit }: UnitOfWork,
  invoice: InvoiceRow,
  { kind, id, status, amountCents, reason, createdAt }: ProviderReversal,
  statusBefore: KnownReversal['status'] | null,
): Promise<void> {
  const values = { status, amount_cents: amountCents, reason, updated_at: now };
  const { organization_id, mode } = invoice;
  await trx
    .insertInto('payment_reversals')
    .values({
      organization_id,
      mode,
      provider_id: id,
      invoice_id: invoice.id,
      kind,
      created_at: createdAt,
      ...values,
    })
    .onConflict((conflict) => conflict.columns(['mode', 'provider_id']).doUpdateSet(values))
    .execute();
  if (status === statusBefore) return;
  await audit({
    action:
      kind === 'dispute'
        ? 'invoice.dispute'
        : status === 'failed'
          ? 'invoice.refund_rejected'
          : 'invoice.refund',
    resource_type: 'invoice',
    resource_id: invoice.id,
    organization_id,
    ...(statusBefore !== null && { before: { status: statusBefore } }),
    after: { status, amount_cents: amountCents, reason },
  });
  const event = kind === 'refund' ? 'invoice.refunded' : 'invoice.disputed';
  await queueWebhooks(trx, app, organization_id, event, {
    ...factsOf(invoice),
    status,
    reversed_cents: amountCents,
  });
  if (kind !== 'refund') return;
  if (status === 'succeeded') {
    await queueRefundMail(trx, app, invoice, { refundId: id, refundedCents: amountCents });
  }
  if (status === 'failed') await queueRejectedRefundMail(trx, app, invoice, amountCents);
}

/**
 * Finds refunds and disputes whose events were missed, and follows them. Returns how many payments it followed; what cannot be
 * followed is shown to the operator as stuck work.
 */
export async function reconcileReversals(
  context: RequestContext,
  provider: PaymentProvider,
  stopping?: AbortSignal,
): Promise<number> {
  const { app } = context;
  const seen = await provider.listReversalsSince(app.clock.now() - COMPARED_MS);
  const known = new Map<string, KnownReversal>();
  for (let at = 0; at < seen.length; at += COMPARED_TOGETHER) {
    const ids = seen.slice(at, at + COMPARED_TOGETHER).map(({ id }) => id);
    const rows = await app.db
      .selectFrom('payment_reversals')
      .select(['provider_id', 'status', 'amount_cents', 'reason'])
      .where('mode', '=', provider.mode)
      .where('provider_id', 'in', ids)
      .execute();
    for (const row of rows) known.set(row.provider_id, row);
  }
  const looked = app.clock.now() - LOOKED_FOR_MS;
  const missed = seen.filter(
    (each) => !isSame(known.get(each.id), each) && (known.has(each.id) || each.createdAt > looked),
  );
  const payments = [...new Set(missed.map(({ paymentId }) => paymentId))].filter((id) => id !== null).sort();
  return workThrough(app, {
    job: 'reconcile-reversals',
    list: async (after, limit) =>
      payments
        .filter((id) => id > after)
        .slice(0, limit)
        .map((id) => ({ id })),
    nameOf: ({ id }) => id,
    work: async ({ id }) => {
      const invoice = await provider.findInvoiceOf(id);
      if (invoice !== null) await followReversalsOf(context, provider, invoice);
      return invoice !== null;
    },
    stopping,
  });
}

/** Ids in one statement. */
const COMPARED_TOGETHER = 500;
/** How long payments without an invoice of ours are looked up: the provider's account may serve other programs too. */
const LOOKED_FOR_MS = 90 * DAY_MS;
