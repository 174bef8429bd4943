import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { isLanguage, type Language } from '../../identity/rules.ts';
import { queueMail } from '../../mail/queue-mail.ts';
import type { MailMessage } from '../../mail/render-mail.ts';
import { findAdministrators } from '../../organizations/members/find-administrators.ts';
import { type CreditNoteRow, listCreditNotes } from '../credits/list-credit-notes.ts';
import type { PaymentProblem } from '../payments/dunning-rules.ts';
import { listReversals } from '../payments/list-reversals.ts';
import {
  composeCreditMail,
  composeInvoiceMail,
  composePaymentProblem,
  composeRefundMail,
  composeRejectedRefundMail,
  type InvoiceMail,
} from './compose-invoice-mail.ts';
import type { InvoiceRow } from './follow-invoice.ts';
import { findInvoiceAccess } from './invoice-access.ts';
import { createInvoiceLink } from './invoice-links.ts';
import { buyerSchema } from './schema.ts';

/** Tells the billing contact that an invoice is available. */
export function queueInvoiceMail(trx: Trx, app: App, row: InvoiceRow): Promise<void> {
  return queueForContact(trx, app, row, (language, mail) => composeInvoiceMail(app, language, mail));
}

/** Writes to the billing contact, where email is sent and there is a contact. */
async function queueForContact(
  trx: Trx,
  app: App,
  row: InvoiceRow,
  compose: (language: Language | null, mail: InvoiceMail) => MailMessage,
): Promise<void> {
  if (row.buyer === null || !app.config.mail) return;
  const { email } = buyerSchema.parse(JSON.parse(row.buyer));
  const language = await languageOfContact(trx, row, email);
  const message = compose(language, await describe(trx, app, row, email));
  await queueMail(trx, app, { recipient: email, message, resource_type: 'invoice', resource_id: row.id });
}

/**
 * Tells the billing contact, and the people who manage the organization, that an invoice could not be
 * charged.
 */
export async function queuePaymentProblem(
  trx: Trx,
  app: App,
  row: InvoiceRow,
  problem: PaymentProblem,
): Promise<void> {
  if (!app.config.mail) return;
  const administrators = await findAdministrators(trx, row.organization_id);
  const contact = row.buyer === null ? null : buyerSchema.parse(JSON.parse(row.buyer)).email;
  const isKnown = administrators.some(({ email }) => email.toLowerCase() === contact?.toLowerCase());
  const recipients =
    contact === null || isKnown
      ? administrators
      : [...administrators, { email: contact, language: await languageOfContact(trx, row, contact) }];
  for (const { email, language } of recipients) {
    const mail = await describe(trx, app, row, email);
    const message = composePaymentProblem(app, language, problem, mail);
    await queueMail(trx, app, { recipient: email, message, resource_type: 'invoice', resource_id: row.id });
  }
}

/** Tells the billing contact that money was refunded; `refundId` is the provider's. */
export async function queueRefundMail(
  trx: Trx,
  app: App,
  row: InvoiceRow,
  { refundId, refundedCents }: { refundId: string; refundedCents: number },
): Promise<void> {
  const notes = await listCreditNotes(trx, [row.id]);
  const refund = (await listReversals(trx, [row.id])).find(({ provider_id }) => provider_id === refundId);
  const note =
    notes.find(({ id }) => id === refund?.credit_note_id) ??
    // The response that names it is still on its way.
    notes.findLast(
      ({ kind, provider_id, amount_cents }) =>
        kind === 'refund' && provider_id === null && amount_cents >= refundedCents,
    );
  const given = { cents: refundedCents, reasons: note ? reasonsOf(note) : null };
  await queueForContact(trx, app, row, (language, mail) => composeRefundMail(app, language, given, mail));
}

/** Tells the billing contact that the bank of their card rejected a refund. */
export function queueRejectedRefundMail(trx: Trx, app: App, row: InvoiceRow, cents: number): Promise<void> {
  return queueForContact(trx, app, row, (language, mail) =>
    composeRejectedRefundMail(app, language, cents, mail),
  );
}

/** Tells the billing contact that a part of an invoice was credited. */
export function queueCreditMail(trx: Trx, app: App, row: InvoiceRow, note: CreditNoteRow): Promise<void> {
  const given = { cents: note.amount_cents, reasons: reasonsOf(note) };
  return queueForContact(trx, app, row, (language, mail) => composeCreditMail(app, language, given, mail));
}

function reasonsOf({ reason, reason_fr }: CreditNoteRow): Record<Language, string> {
  return { 'en-CA': reason, 'fr-CA': reason_fr ?? reason };
}

/** Returns the language of the billing contact if they manage the organization, or what its people read when it was deleted. */
async function languageOfContact(trx: Trx, row: InvoiceRow, email: string): Promise<Language | null> {
  const administrators = await findAdministrators(trx, row.organization_id);
  const known = administrators.find((each) => each.email.toLowerCase() === email.toLowerCase());
  if (administrators.length > 0) return known?.language ?? null;
  const contact = await trx
    .selectFrom('billing_contacts')
    .select('last_language')
    .where('organization_id', '=', row.organization_id)
    .where('mode', '=', row.mode)
    .executeTakeFirst();
  const last = contact?.last_language ?? null;
  return isLanguage(last) ? last : null;
}

async function describe(trx: Trx, app: App, row: InvoiceRow, recipient: string): Promise<InvoiceMail> {
  const { name, detached_at } = await trx
    .selectFrom('organizations')
    .select(['name', 'detached_at'])
    .where('id', '=', row.organization_id)
    .executeTakeFirstOrThrow();
  const access = await findInvoiceAccess(trx, row, detached_at, recipient);
  const link = access === 'page' ? null : (await createInvoiceLink(trx, app, row)).link;
  const { publicUrl } = app.config;
  return {
    organizationName: name,
    month: { year: row.billing_year, month: row.billing_month },
    number: row.number,
    // Nothing is due with one that is too small to charge, or covered by a credit.
    amountCents: row.amount_due_cents === 0 ? row.total_cents : row.amount_due_cents,
    isPaid: row.status === 'paid',
    access,
    invoiceLink: link ?? `${publicUrl}/${row.organization_id}/billing/invoices/${row.id}`,
    billingLink: link ?? `${publicUrl}/${row.organization_id}/billing`,
  };
}
