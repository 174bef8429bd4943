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

/** What has become of a refund: `repaid` was rejected by the bank, and given back in another way. */
export const REFUND_STATES = ['pending', 'succeeded', 'rejected', 'repaid'] as const;
export type RefundState = (typeof REFUND_STATES)[number];

export interface Reversal {
  provider_id: string;
  kind: ReversalKind;
  status: ReversalStatus;
  amount_cents: number;
  /** When it was recorded that the money of a rejected refund was given back. */
  repaid_at: number | null;
  /** What other refunds repeated of a rejected one. */
  repeated_cents: number;
  /** Of the credit note that made this refund; null for one made at the provider, and for a dispute. */
  credit_note_id: string | null;
}

/** Returns the state of a refund; null for a dispute. */
export function refundStateOf({
  kind,
  status,
  repaid_at,
}: Pick<Reversal, 'kind' | 'status' | 'repaid_at'>): RefundState | null {
  if (kind === 'dispute') return null;
  if (status === 'failed') return repaid_at === null ? 'rejected' : 'repaid';
  return status === 'succeeded' ? 'succeeded' : 'pending';
}

/** What went back of the payments of an invoice, in cents. */
export interface ReversedFigures {
  /** To the card, or by other means after its bank had rejected it: once, however often it was tried. */
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
    sumOf(reversals.filter(isWanted), ({ amount_cents }) => amount_cents);
  const refunds = (...states: RefundState[]) =>
    sum((each) => states.some((state) => state === refundStateOf(each)));
  return {
    refundedCents: refunds('succeeded', 'repaid') - sumOf(reversals, ({ repeated_cents }) => repeated_cents),
    rejectedCents: refunds('rejected'),
    disputedCents: sum(({ status }) => status === 'open'),
    chargedBackCents: sum(({ status }) => status === 'lost'),
  };
}

/** Returns the state of a payment, the worst of several; null when it stands. */
export function paymentStateOf(paidCents: number, reversals: readonly Reversal[]): PaymentState | null {
  const { refundedCents, rejectedCents, disputedCents, chargedBackCents } = reversedOf(reversals);
  if (disputedCents > 0) return 'disputed';
  if (chargedBackCents > 0) return 'charged_back';
  if (reversals.some(({ status }) => status === 'inquiry')) return 'inquiry';
  if (rejectedCents > 0) return 'refund_rejected';
  if (refundedCents === 0) return null;
  return refundedCents >= paidCents ? 'refunded' : 'partly_refunded';
}

/**
 * Returns how much of each rejected refund of an invoice was given back by other refunds, in cents by id; the rest was given back by
 * other means. Refunds that were made at the provider since repeat the oldest rejected one first. Of one that was itself a repeat and
 * was rejected too, the part that stands for an earlier one counts there. No more is given back than was paid.
 * @param reversals oldest first
 */
export function repeatedOf(reversals: readonly Reversal[], paidCents: number): Map<string, number> {
  const failed: { id: string; isOpen: boolean; amount: number; left: number }[] = [];
  for (const { provider_id: id, amount_cents: amount, ...refund } of reversals) {
    const state = refundStateOf(refund);
    if (state === null) continue;
    const hasFailed = state === 'rejected' || state === 'repaid';
    const before = failed.filter(({ isOpen }) => isOpen || !hasFailed);
    let rest = amount;
    if (refund.credit_note_id === null && state !== 'repaid') {
      for (const each of before) {
        const part = Math.min(each.left, rest);
        rest -= part;
        if (!hasFailed) each.left -= part;
      }
    }
    if (state === 'rejected') failed.push({ id, isOpen: true, amount, left: rest });
    // What was recorded for it before is used up by the same repeats.
    if (state === 'repaid') failed.push({ id, isOpen: false, amount, left: refund.repeated_cents });
  }
  let owed = Math.max(0, paidCents - reversedOf(reversals).refundedCents);
  const repeated = new Map<string, number>();
  for (const { id, amount, left } of failed.filter(({ isOpen }) => isOpen)) {
    const elsewhere = Math.min(left, owed);
    owed -= elsewhere;
    repeated.set(id, amount - elsewhere);
  }
  return repeated;
}

function sumOf<Each>(list: readonly Each[], centsOf: (each: Each) => number): number {
  return list.reduce((sum, each) => sum + centsOf(each), 0);
}
