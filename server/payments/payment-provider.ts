import type { BillingMode } from '#db/schema/billing-mode.ts';

/** A person or company as it is printed on invoices. */
export interface PayerProfile {
  organizationId: string;
  name: string;
  email: string;
  phone: string | null;
  address: {
    line1: string | null;
    line2: string | null;
    city: string | null;
    province: string | null;
    postalCode: string | null;
    country: string | null;
  };
}

/** Kinds of tax numbers that a provider prints on invoices. */
export type PayerTaxIdType = 'ca_gst_hst' | 'ca_qst';
export interface PayerTaxId {
  type: PayerTaxIdType;
  value: string;
}

export interface Card {
  id: string;
  /** Null when it is nobody's any more. */
  customerId: string | null;
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
}

/** A card on its way in: the browser hands it to the provider by the client secret, and we never see it. */
export interface CardSetup {
  id: string;
  customerId: string | null;
  status: 'pending' | 'succeeded' | 'canceled';
  cardId: string | null;
}

export interface InvoiceLineDraft {
  description: string;
  amountCents: number;
  /** Epoch milliseconds, half-open. */
  period: { start: number; end: number };
  taxes: readonly InvoiceTaxDraft[];
}

export interface InvoiceTaxDraft {
  name: string;
  rateMilli: number;
  province: string;
  amountCents: number;
}

export interface InvoiceDraft {
  /** One for each account and month: by it an invoice is found again after a lost answer. */
  key: string;
  customerId: string;
  organizationId: string;
  description: string;
  footer: string;
}

export type ProviderInvoiceStatus = 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';

/** An invoice as the provider has it. */
export interface ProviderInvoice {
  id: string;
  key: string | null;
  customerId: string | null;
  status: ProviderInvoiceStatus;
  number: string | null;
  subtotalCents: number;
  taxCents: number;
  totalCents: number;
  /** With what earlier months that were too small to charge have left. */
  amountDueCents: number;
  amountPaidCents: number;
  /** Null when there are more than the provider shows with the invoice. */
  lineCount: number | null;
  /** Its page for people; it expires, so that it is asked for each time. */
  hostedUrl: string | null;
}

/** How a try to be paid went. `authentication`: only the payer can go on, on the hosted page. */
export type PayOutcome = {
  outcome: 'paid' | 'declined' | 'authentication' | 'failed';
  detail: string | null;
};

/** Something happened to an object: a hint to look at it, in whatever order it comes. */
export interface ProviderEvent {
  id: string;
  type: string;
  objectType: string;
  objectId: string;
  /** Epoch milliseconds by the provider's clock. */
  createdAt: number;
}

/**
 * Who keeps cards and collects money. Every change takes a key: the same key changes nothing twice, for about a day. Nothing
 * of it is called inside a transaction.
 * Errors: {@link PaymentError}.
 */
export interface PaymentProvider {
  readonly mode: BillingMode;
  /** For the browser; no secret. */
  readonly publishableKey: string;

  createCustomer(key: string, profile: PayerProfile): Promise<{ id: string }>;
  updateCustomer(id: string, profile: PayerProfile, defaultCardId: string | null): Promise<void>;
  /** Makes the tax numbers of a customer these and no others. @throws PaymentError `invalid` for one of a wrong form */
  setTaxIds(customerId: string, taxIds: readonly PayerTaxId[]): Promise<void>;

  createSetup(key: string, customerId: string): Promise<{ id: string; clientSecret: string }>;
  getSetup(id: string): Promise<CardSetup>;
  getCard(id: string): Promise<Card>;
  listCards(customerId: string): Promise<Card[]>;
  /** Does nothing for a card that is nobody's already. */
  detachCard(id: string): Promise<void>;

  findInvoice(customerId: string, key: string): Promise<ProviderInvoice | null>;
  createInvoice(draft: InvoiceDraft): Promise<ProviderInvoice>;
  addInvoiceLines(id: string, key: string, lines: readonly InvoiceLineDraft[]): Promise<ProviderInvoice>;
  finalizeInvoice(id: string, key: string): Promise<ProviderInvoice>;
  /** Charges a card while nobody is there. */
  payInvoice(id: string, key: string, cardId: string): Promise<PayOutcome>;
  /** Notes that it was paid by other means. */
  markPaidElsewhere(id: string, key: string): Promise<ProviderInvoice>;
  voidInvoice(id: string, key: string): Promise<ProviderInvoice>;
  deleteDraft(id: string): Promise<void>;
  getInvoice(id: string): Promise<ProviderInvoice>;
  /** Takes back a part of an invoice: of an open one less is due, of a paid one the rest is kept for the next. */
  createCreditNote(
    key: string,
    invoiceId: string,
    amountCents: number,
    memo: string,
  ): Promise<{ id: string }>;

  /** Returns what a delivery tells. @throws PaymentError `signature` when it is not the provider's, or too old */
  readEvent(body: string, signature: string): ProviderEvent;
}
