/** Tax numbers that a contact can have. */
export const TAX_ID_TYPES = ['GST', 'HST', 'QST', 'Other'] as const;
export type TaxIdType = (typeof TAX_ID_TYPES)[number];

/** The formats of the numbers that can be validated; GST and HST share one. */
const TAX_ID_PATTERNS: Record<TaxIdType, RegExp | null> = {
  GST: /^\d{9}RT\d{4}$/,
  HST: /^\d{9}RT\d{4}$/,
  QST: /^\d{10}TQ\d{4}$/,
  Other: null,
};

/** Returns a tax number without the separators that people type. */
export function cleanTaxId(type: TaxIdType, typed: string): string {
  return type === 'Other' ? typed.trim() : typed.replace(/[\s.-]/g, '').toUpperCase();
}

/** Whether a cleaned tax number matches the format of its type. */
export function isTaxId(type: TaxIdType, number: string): boolean {
  return TAX_ID_PATTERNS[type]?.test(number) ?? true;
}

/** The default country of forms. */
export const DEFAULT_COUNTRY = 'CA';

/** The most cards of one organization. */
export const PAYMENT_METHODS_MAX = 10;

/** How long organizations that existed before billing may continue creating things without a card. */
export const SET_UP_WITHIN_MS = 30 * 86_400_000;

/** Statuses of an invoice as people see them. */
export const INVOICE_STATUSES = ['paid', 'open', 'draft', 'void'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

/** Returns the displayed status: what could not be collected is still open. */
export function shownStatus(status: InvoiceStatus | 'uncollectible'): InvoiceStatus {
  return status === 'uncollectible' ? 'open' : status;
}

/** Whether an organization may create billed resources, and why (not). */
export type BillingReadiness = 'off' | 'ready' | 'grace' | 'no_customer' | 'no_payment_method';

/**
 * Returns the readiness of an organization. `dueAt` is until when it may continue without a card, if it may.
 */
export function readinessOf(facts: {
  hasCustomer: boolean;
  hasDefault: boolean;
  dueAt: number | null;
  now: number;
}): BillingReadiness {
  if (facts.hasCustomer && facts.hasDefault) return 'ready';
  if (facts.dueAt !== null && facts.now < facts.dueAt) return 'grace';
  return facts.hasCustomer ? 'no_payment_method' : 'no_customer';
}

/** Whether sites and endpoints may be created; otherwise the response is 402. */
export function mayCreate(readiness: BillingReadiness): boolean {
  return readiness === 'off' || readiness === 'ready' || readiness === 'grace';
}
