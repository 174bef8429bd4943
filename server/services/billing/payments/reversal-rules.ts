/** Refunds, and disputes of payers at their banks. */
export const REVERSAL_KINDS = ['refund', 'dispute'] as const;
export type ReversalKind = (typeof REVERSAL_KINDS)[number];

/**
 * A refund is `pending`, `succeeded` or `failed`. A dispute is an `inquiry` while the bank only asks, `open` while it keeps the
 * money, and ends `won`, `lost` or, when nothing came of it, `closed`.
 */
export const REVERSAL_STATUSES = [
  'pending',
  'succeeded',
  'failed',
  'inquiry',
  'open',
  'won',
  'lost',
  'closed',
] as const;
export type ReversalStatus = (typeof REVERSAL_STATUSES)[number];

/** What has become of the payment of an invoice, which itself stays paid. */
export const PAYMENT_STATES = ['refunded', 'partly_refunded', 'inquiry', 'disputed', 'charged_back'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

interface Reversal {
  kind: ReversalKind;
  status: ReversalStatus;
  amount_cents: number;
}

/** What went back of the payments of an invoice, in cents. */
export interface ReversedFigures {
  refundedCents: number;
  /** Kept by a bank until it has decided. */
  disputedCents: number;
  /** Given back to the payer by a bank for good. */
  chargedBackCents: number;
}

/** Adds up what went back. */
export function reversedOf(reversals: readonly Reversal[]): ReversedFigures {
  const sum = (kind: ReversalKind, status: ReversalStatus) =>
    reversals
      .filter((each) => each.kind === kind && each.status === status)
      .reduce((all, { amount_cents }) => all + amount_cents, 0);
  return {
    refundedCents: sum('refund', 'succeeded'),
    disputedCents: sum('dispute', 'open'),
    chargedBackCents: sum('dispute', 'lost'),
  };
}

/** Returns what has become of a payment, the worst first; null when it stands. */
export function paymentStateOf(paidCents: number, reversals: readonly Reversal[]): PaymentState | null {
  const { refundedCents, disputedCents, chargedBackCents } = reversedOf(reversals);
  if (disputedCents > 0) return 'disputed';
  if (chargedBackCents > 0) return 'charged_back';
  if (reversals.some(({ status }) => status === 'inquiry')) return 'inquiry';
  if (refundedCents === 0) return null;
  return refundedCents >= paidCents ? 'refunded' : 'partly_refunded';
}
