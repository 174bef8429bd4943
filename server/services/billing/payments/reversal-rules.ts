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
export const PAYMENT_STATES = [
  'refunded',
  'partly_refunded',
  'refund_rejected',
  'inquiry',
  'disputed',
  'charged_back',
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/** What has become of a refund: `repaid` was rejected by the bank, and given back by other means. */
export const REFUND_STATES = ['pending', 'succeeded', 'rejected', 'repaid'] as const;
export type RefundState = (typeof REFUND_STATES)[number];

interface Reversal {
  kind: ReversalKind;
  status: ReversalStatus;
  amount_cents: number;
  repaid_at: number | null;
}

/** Returns what has become of a refund; null for a dispute. */
export function refundStateOf({
  kind,
  status,
  repaid_at,
}: Omit<Reversal, 'amount_cents'>): RefundState | null {
  if (kind === 'dispute') return null;
  if (status === 'failed') return repaid_at === null ? 'rejected' : 'repaid';
  return status === 'succeeded' ? 'succeeded' : 'pending';
}

/** What went back of the payments of an invoice, in cents. */
export interface ReversedFigures {
  /** To the card, or by other means after its bank had rejected it. */
  refundedCents: number;
  /** Rejected by the bank of the card, and not given back by other means yet. */
  rejectedCents: number;
  /** Kept by a bank until it has decided. */
  disputedCents: number;
  /** Given back to the payer by a bank for good. */
  chargedBackCents: number;
}

/** Adds up what went back. */
export function reversedOf(reversals: readonly Reversal[]): ReversedFigures {
  const sum = (isWanted: (reversal: Reversal) => boolean) =>
    reversals.filter(isWanted).reduce((all, { amount_cents }) => all + amount_cents, 0);
  const refunds = (...states: RefundState[]) =>
    sum((each) => states.some((state) => state === refundStateOf(each)));
  return {
    refundedCents: refunds('succeeded', 'repaid'),
    rejectedCents: refunds('rejected'),
    disputedCents: sum(({ status }) => status === 'open'),
    chargedBackCents: sum(({ status }) => status === 'lost'),
  };
}

/** Returns what has become of a payment, the worst first; null when it stands. */
export function paymentStateOf(paidCents: number, reversals: readonly Reversal[]): PaymentState | null {
  const { refundedCents, rejectedCents, disputedCents, chargedBackCents } = reversedOf(reversals);
  if (disputedCents > 0) return 'disputed';
  if (chargedBackCents > 0) return 'charged_back';
  if (reversals.some(({ status }) => status === 'inquiry')) return 'inquiry';
  if (rejectedCents > 0) return 'refund_rejected';
  if (refundedCents === 0) return null;
  return refundedCents >= paidCents ? 'refunded' : 'partly_refunded';
}
