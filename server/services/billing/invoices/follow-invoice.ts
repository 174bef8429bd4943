import type { Selectable } from 'kysely';
import { isPostgres, type Trx } from '#db/client.ts';
import type { InvoicesTable } from '#db/schema/invoices.ts';
import type { App, RequestContext } from '#server/context.ts';
import type { ProviderInvoice, ProviderInvoiceStatus } from '#server/payments/payment-provider.ts';
import { inUnitOfWork, type UnitOfWork } from '../../shared/unit-of-work.ts';
import { queueWebhooks } from '../../webhooks/queue-webhooks.ts';
import { listCreditNotes } from '../credits/list-credit-notes.ts';
import { queueInvoiceMail } from './queue-invoice-mail.ts';

/** The stages of an invoice: it never goes back, in whatever order events arrive. */
const STAGE: Record<ProviderInvoiceStatus, number> = {
  draft: 0,
  open: 1,
  uncollectible: 2,
  paid: 3,
  void: 3,
};

export type InvoiceRow = Selectable<InvoicesTable>;

/** Fetches an invoice from the provider and updates ours to match. Invoices that are not ours are ignored. */
export async function followInvoice(context: RequestContext, providerId: string): Promise<void> {
  const { app } = context;
  if (!app.payments) return;
  const { mode, open } = app.payments;
  const known = await app.db
    .selectFrom('invoices')
    .select('id')
    .where('mode', '=', mode)
    .where('provider_id', '=', providerId)
    .executeTakeFirst();
  if (!known) return;
  const { provider } = await open();
  await applyProviderInvoice(context, known.id, await provider.getInvoice(providerId));
}

/** Moves an invoice to the provider's status, never back. Returns the updated row. */
export function applyProviderInvoice(
  context: RequestContext,
  invoiceId: string,
  seen: ProviderInvoice,
): Promise<InvoiceRow> {
  return inUnitOfWork(context, (unit) => moveInvoice(context.app, unit, invoiceId, seen));
}

/**
 * The same within a unit of work.
 * @param made the credit note that the provider has made, which the caller records in the same transaction
 */
export async function moveInvoice(
  app: App,
  unit: UnitOfWork,
  invoiceId: string,
  seen: ProviderInvoice,
  made: { noteId: string; isEarly: boolean } | null = null,
): Promise<InvoiceRow> {
  const { trx, now } = unit;
  const row = await lockInvoice(trx, invoiceId);
  if (STAGE[seen.status] < STAGE[row.status]) return row;
  const isIssued = row.finalized_at === null && seen.status !== 'draft';
  const credits = isIssued
    ? []
    : (await listCreditNotes(trx, [row.id])).filter(({ kind }) => kind === 'credit');
  const recorded = credits.find(({ id, provider_id }) => id === made?.noteId && provider_id === null);
  // The provider may have lowered what is due by a credit that is not recorded yet: that is counted once it is.
  const isAwaited = credits.some((each) => each !== recorded && each.provider_id === null);
  const dueKept = row.amount_due_cents - (made?.isEarly ? (recorded?.amount_cents ?? 0) : 0);
  const isDueKept = seen.status === 'draft' || isAwaited;
  const hasEnded = seen.status === 'paid' || seen.status === 'void';
  const values = {
    status: seen.status,
    provider_id: seen.id,
    number: seen.number ?? row.number,
    starting_balance_cents: row.starting_balance_cents ?? seen.startingBalanceCents,
    amount_due_cents: isDueKept ? dueKept : seen.amountDueCents,
    amount_paid_cents: seen.amountPaidCents,
    finalized_at: row.finalized_at ?? (seen.status === 'draft' ? null : now),
    paid_at: row.paid_at ?? (seen.status === 'paid' ? now : null),
    voided_at: row.voided_at ?? (seen.status === 'void' ? now : null),
    // Just issued: it is due immediately.
    next_attempt_at: hasEnded ? null : (row.next_attempt_at ?? (isIssued ? now : null)),
    dunning_reason: hasEnded ? null : row.dunning_reason,
  };
  const isSame = Object.entries(values).every(([name, value]) => row[name as keyof typeof values] === value);
  if (isSame) return row;
  const changed = { ...values, updated_at: now };
  await trx.updateTable('invoices').set(changed).where('id', '=', row.id).execute();
  const after = { ...row, ...changed };
  if (isIssued) await announceIssue(app, unit, after);
  if (hasEnded && row.status !== seen.status) {
    await unit.audit({
      action: seen.status === 'paid' ? 'invoice.paid' : 'invoice.void',
      resource_type: 'invoice',
      resource_id: row.id,
      organization_id: row.organization_id,
      before: { status: row.status },
      after: { status: seen.status, amount_cents: seen.amountDueCents },
    });
    const event = seen.status === 'paid' ? 'invoice.paid' : 'invoice.voided';
    await queueWebhooks(trx, app, row.organization_id, event, factsOf(after));
  }
  return after;
}

async function announceIssue(app: App, { trx, audit }: UnitOfWork, row: InvoiceRow): Promise<void> {
  await audit({
    action: 'invoice.issue',
    resource_type: 'invoice',
    resource_id: row.id,
    organization_id: row.organization_id,
    after: { number: row.number, amount_cents: row.amount_due_cents },
  });
  await queueInvoiceMail(trx, app, row);
  await queueWebhooks(trx, app, row.organization_id, 'invoice.issued', factsOf(row));
}

/** The invoice data sent to webhooks. */
export function factsOf({ id, number, amount_due_cents }: InvoiceRow) {
  return { invoice_id: id, number, amount_cents: amount_due_cents };
}

/** Returns an invoice, and locks it until the transaction ends. */
export async function lockInvoice(trx: Trx, invoiceId: string): Promise<InvoiceRow> {
  const [row] = await lockInvoices(trx, [invoiceId]);
  if (!row) throw new Error(`there is no invoice ${invoiceId}`);
  return row;
}

/**
 * Locks invoices until the transaction ends and returns them in the order of their ids, in which every caller
 * locks them.
 */
export async function lockInvoices(trx: Trx, invoiceIds: readonly string[]): Promise<InvoiceRow[]> {
  return trx
    .selectFrom('invoices')
    .selectAll()
    .where('id', 'in', invoiceIds)
    .orderBy('id')
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .execute();
}
