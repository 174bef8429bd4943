import { roundHalfUp, toCents } from '../months/rating-rules.ts';
import { type RefundState, type Reversal, refundStateOf } from '../payments/reversal-rules.ts';

/** Where the money of a credit note goes: to what is due or the next invoice, or to the card that paid. */
export const CREDIT_KINDS = ['credit', 'refund'] as const;
export type CreditKind = (typeof CREDIT_KINDS)[number];

interface Credit {
  kind: CreditKind;
  amount_cents: number;
  /** Null until the provider has responded. */
  is_early: number | null;
}

/** What was credited of an invoice, in cents. */
export interface CreditFigures {
  /** Before it was paid: that lowered what is due. */
  creditedEarlyCents: number;
  /** To the card that paid it. */
  creditedToCardCents: number;
}

/** Adds up the credits of an invoice; what is in neither figure is kept for the next invoice. */
export function creditFiguresOf(credits: readonly Credit[]): CreditFigures {
  const sum = (isWanted: (credit: Credit) => boolean) =>
    credits.filter(isWanted).reduce((all, { amount_cents }) => all + amount_cents, 0);
  return {
    creditedEarlyCents: sum(({ is_early }) => is_early === 1),
    creditedToCardCents: sum(({ kind }) => kind === 'refund'),
  };
}

/** What remains to be done, the most first. */
const WORST_FIRST = ['rejected', 'pending', 'repaid', 'succeeded'] as const satisfies RefundState[];

/**
 * Returns credit notes with what each contains of each tax of the invoice, in cents, and with what has become of the refunds that it
 * made: null when it made none, or nothing is known of it.
 * @param notes oldest first
 */
export function describeCredits<Note extends { id: string; amount_cents: number }>(
  notes: readonly Note[],
  { totalCents, taxesCents }: { totalCents: number; taxesCents: readonly number[] },
  reversals: readonly Reversal[],
): { note: Note; taxesCents: readonly number[]; refundState: RefundState | null }[] {
  const amounts = notes.map(({ amount_cents }) => amount_cents);
  const parts = creditedTaxes(amounts, totalCents, taxesCents);
  return notes.map((note, index) => {
    const made = reversals.filter(({ credit_note_id }) => credit_note_id === note.id);
    const states = made.map(refundStateOf);
    // Of several refunds, that of which most remains to be done.
    const refundState = WORST_FIRST.find((state) => states.includes(state)) ?? null;
    return { note, taxesCents: parts[index] ?? [], refundState };
  });
}

/**
 * Returns how much of each credit of an invoice is each of its taxes, in cents: in proportion, so that all credits together
 * have exactly the taxes of the invoice when nothing of it is left. A seller has to state it.
 * @param amountsCents of the credits, oldest first, with their taxes
 */
export function creditedTaxes(
  amountsCents: readonly number[],
  totalCents: number,
  taxesCents: readonly number[],
): number[][] {
  // By then, of each tax: rounding the sums keeps every credit at 0 or more.
  const until = (credited: number) =>
    taxesCents.map((tax) =>
      totalCents === 0 ? 0 : toCents(roundHalfUp(BigInt(tax) * BigInt(credited), BigInt(totalCents))),
    );
  let credited = 0;
  return amountsCents.map((amount) => {
    const before = until(credited);
    credited += amount;
    return until(credited).map((cents, index) => cents - (before[index] ?? 0));
  });
}
