import { CHARGE_MIN_CENTS } from '../invoices/invoice-rules.ts';
import type { ReversedFigures } from './reversal-rules.ts';

/** The amounts that lead from the total of an issued invoice to the amount due, and those that went back of its payment. */
export interface DueFigures extends ReversedFigures {
  totalCents: number;
  /** Of the customer: above zero what earlier invoices left over, below zero a credit; null where it is unknown. */
  startingBalanceCents: number | null;
  /** As the provider charges it. */
  dueCents: number;
  /** Of what is due with an invoice that is still open: 0 once it is paid. */
  paidPartCents: number;
  creditedCents: number;
  /** The part of it that was credited before a payment: it lowered what is due. */
  creditedEarlyCents: number;
  /** The part of it that goes to the card that paid: it stands as a refund. The rest is kept for the next invoice. */
  creditedToCardCents: number;
}

export interface DueRow {
  kind:
    | 'carriedIn'
    | 'carriedOut'
    | 'creditIn'
    | 'credited'
    | 'due'
    | 'paidPart'
    | 'left'
    | 'refunded'
    | 'rejected'
    | 'disputed'
    | 'chargedBack';
  cents: number;
}

/** Returns the rows below a total, in order; none when the total is simply what is due. */
export function dueRows(figures: DueFigures): DueRow[] {
  const { totalCents, dueCents, creditedCents, creditedEarlyCents, creditedToCardCents } = figures;
  const { paidPartCents } = figures;
  const rows: DueRow[] = [
    ...carriedRows(figures),
    { kind: 'credited', cents: -creditedEarlyCents },
    { kind: 'due', cents: dueCents },
    { kind: 'paidPart', cents: -paidPartCents },
    { kind: 'left', cents: paidPartCents === 0 ? 0 : dueCents - paidPartCents },
    { kind: 'credited', cents: creditedEarlyCents + creditedToCardCents - creditedCents },
    { kind: 'refunded', cents: -figures.refundedCents },
    { kind: 'rejected', cents: -figures.rejectedCents },
    { kind: 'disputed', cents: -figures.disputedCents },
    { kind: 'chargedBack', cents: -figures.chargedBackCents },
  ];
  return rows.filter(({ kind, cents }) =>
    kind === 'due' ? dueCents !== totalCents || paidPartCents > 0 : cents !== 0,
  );
}

/** The rows between the total and the amount that was due at first: carried over from earlier invoices and to the next one. */
function carriedRows({
  totalCents,
  startingBalanceCents,
  dueCents,
  creditedEarlyCents,
}: DueFigures): DueRow[] {
  const carried = dueCents + creditedEarlyCents - totalCents;
  const balance = startingBalanceCents ?? likelyBalance(totalCents, carried);
  const carriedIn = Math.max(0, balance);
  const creditIn = Math.max(-totalCents, Math.min(0, balance));
  return [
    { kind: 'carriedIn', cents: carriedIn },
    { kind: 'creditIn', cents: creditIn },
    { kind: 'carriedOut', cents: carried - carriedIn - creditIn },
  ];
}

/** An invoice that is too small to charge was rarely covered by a credit. */
function likelyBalance(totalCents: number, carried: number): number {
  const isTooLittle = totalCents < CHARGE_MIN_CENTS && carried === -totalCents;
  return isTooLittle ? 0 : carried;
}
