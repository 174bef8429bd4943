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
  /** Null when it no longer belongs to a customer. */
  customerId: string | null;
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
}

/** A card being added: the browser hands it to the provider with the client secret, and we never see it. */
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
  /** By its English name, such as `GST`. */
  name: string;
  /** As the customer reads it, such as `TPS`. */
  label: string;
  rateMilli: number;
  province: string;
  amountCents: number;
}

export interface InvoiceDraft {
  /** One per account and month: it is used to find the invoice again after a lost response. */
  key: string;
  customerId: string;
  organizationId: string;
  description: string;
  footer: string;
  /** The id of the draft that was created for the key before and is deleted; null for the first. */
  replaces: string | null;
}

export type ProviderInvoiceStatus = 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';

/** An invoice at the provider. */
export interface ProviderInvoice {
  id: string;
  key: string | null;
  customerId: string | null;
  status: ProviderInvoiceStatus;
  number: string | null;
  subtotalCents: number;
  taxCents: number;
  totalCents: number;
  /** The customer's balance when it was finalized: above zero what earlier invoices left over, below zero a credit. Null before. */
  startingBalanceCents: number | null;
  /** The total with the starting balance, without what was credited since; 0 for what is too little to charge. */
  amountDueCents: number;
  amountPaidCents: number;
  /** Of the amount due: less after a payment of a part of it, which only the provider's own console can take. */
  amountRemainingCents: number;
  /** Null when there are more than the provider includes with the invoice. */
  lineCount: number | null;
  /** Its page for people; it expires, so it is requested each time. */
  hostedUrl: string | null;
}

/** A credit note at the provider. */
export interface CreatedCreditNote {
  id: string;
  /** Of each payment that gives a part of it back; empty for a credit. */
  refundIds: readonly string[];
  /** Whether it lowered what was due. Otherwise the invoice was paid before. */
  isEarly: boolean;
}

/** The result of a payment attempt. `authentication`: only the payer can continue, on the hosted page. */
export type PayOutcome = {
  outcome: 'paid' | 'declined' | 'authentication' | 'failed';
  detail: string | null;
};

/** Money of a payment that goes back: a refund by the seller, or a dispute of the payer at their bank. */
export type ReversalKind = 'refund' | 'dispute';

/**
 * A refund is `pending`, `succeeded` or `failed`. A dispute is an `inquiry` while the bank only asks, `open` while it keeps the
 * money, and ends `won`, `lost` or, when nothing came of it, `closed`.
 */
export type ReversalStatus =
  | 'pending'
  | 'succeeded'
  | 'failed'
  | 'inquiry'
  | 'open'
  | 'won'
  | 'lost'
  | 'closed';

export interface ProviderReversal {
  kind: ReversalKind;
  id: string;
  /** The reversed payment; null for one that pays no invoice. */
  paymentId: string | null;
  amountCents: number;
  status: ReversalStatus;
  /** In the provider's words; of a failed refund, why it failed. */
  reason: string | null;
  /** Epoch milliseconds on the provider's clock. */
  createdAt: number;
}

/** Something happened to an object: a hint to fetch it, in whatever order events arrive. */
export interface ProviderEvent {
  id: string;
  type: string;
  objectType: string;
  objectId: string;
  /** Epoch milliseconds on the provider's clock. */
  createdAt: number;
}

/**
 * Stores cards and collects money. Every change takes a key: repeating it with the same key has no further
 * effect for about a day. Nothing here is called inside a transaction. Errors: {@link PaymentError}.
 */
export interface PaymentProvider {
  readonly mode: BillingMode;
  /** For the browser; no secret. */
  readonly publishableKey: string;

  createCustomer(key: string, profile: PayerProfile): Promise<{ id: string }>;
  /** @throws PaymentError `missing` for one that this account never had */
  isCustomerDeleted(id: string): Promise<boolean>;
  updateCustomer(id: string, profile: PayerProfile, defaultCardId: string | null): Promise<void>;
  /**
   * Sets the tax numbers of a customer to exactly these.
   * @throws PaymentError `invalid` for a malformed one
   */
  setTaxIds(customerId: string, taxIds: readonly PayerTaxId[]): Promise<void>;

  createSetup(key: string, customerId: string): Promise<{ id: string; clientSecret: string }>;
  getSetup(id: string): Promise<CardSetup>;
  getCard(id: string): Promise<Card>;
  listCards(customerId: string): Promise<Card[]>;
  /** Does nothing for a card that is already detached. */
  detachCard(id: string): Promise<void>;

  findInvoice(customerId: string, key: string): Promise<ProviderInvoice | null>;
  createInvoice(draft: InvoiceDraft): Promise<ProviderInvoice>;
  addInvoiceLines(id: string, key: string, lines: readonly InvoiceLineDraft[]): Promise<ProviderInvoice>;
  finalizeInvoice(id: string, key: string): Promise<ProviderInvoice>;
  /** Charges a card without its holder present. */
  payInvoice(id: string, key: string, cardId: string): Promise<PayOutcome>;
  /** Records that it was paid by other means. */
  markPaidElsewhere(id: string, key: string): Promise<ProviderInvoice>;
  voidInvoice(id: string, key: string): Promise<ProviderInvoice>;
  deleteDraft(id: string): Promise<void>;
  getInvoice(id: string): Promise<ProviderInvoice>;
  /**
   * Credits a part of an invoice. A `credit` lowers the amount due of an open one, by no more than what remains to be paid of it;
   * for a paid one, it is kept for the next. A `refund` of a paid one goes back to the cards that paid it. The provider
   * sends no message.
   */
  createCreditNote(
    key: string,
    invoiceId: string,
    amountCents: number,
    note: { memo: string; kind: 'credit' | 'refund' },
  ): Promise<CreatedCreditNote>;
  /** Of an invoice, in cents: the rest of a paid one was paid by other means. What went back still counts. */
  sumPaidByCards(invoiceId: string): Promise<number>;

  /** Returns everything that reverses payments of an invoice. */
  listReversals(invoiceId: string): Promise<ProviderReversal[]>;
  /** Returns everything that reverses any payment and began after an instant, newest first, up to some thousands of each kind. */
  listReversalsSince(epochMs: number): Promise<ProviderReversal[]>;
  /** Returns the payment that a charge, a refund or a dispute belongs to, or null. */
  getPaymentOf(objectType: 'charge' | ReversalKind, id: string): Promise<string | null>;
  /** Returns the invoice that a payment pays, or null. */
  findInvoiceOf(paymentId: string): Promise<string | null>;

  /**
   * Parses a delivery; null for an event that is about nothing that could be fetched.
   * @throws PaymentError `signature` when it is not from the provider, or too old
   */
  readEvent(body: string, signature: string): ProviderEvent | null;
}
