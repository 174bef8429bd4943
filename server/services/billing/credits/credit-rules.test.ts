import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { creditedTaxes, creditFiguresOf } from './credit-rules.ts';

describe('the taxes of credits', () => {
  it('are in proportion to the invoice', () => {
    expect(creditedTaxes([100], 345, [15, 30])).toEqual([[4, 9]]);
    expect(creditedTaxes([345], 345, [15, 30])).toEqual([[15, 30]]);
    expect(creditedTaxes([100], 300, [])).toEqual([[]]);
    expect(creditedTaxes([100], 0, [0])).toEqual([[0]]);
  });

  it('are never below zero, and exactly those of the invoice once nothing of it is left', () => {
    const parts = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(parts, fc.constantFrom<number[]>([0], [15, 30], [13, 7], [1, 1]), (amounts, taxes) => {
        const total = amounts.reduce((sum, amount) => sum + amount, 0);
        if (total < taxes.reduce((sum, tax) => sum + tax, 0)) return;
        const shares = creditedTaxes(amounts, total, taxes);
        expect(shares.flat().every((cents) => cents >= 0)).toBe(true);
        const sums = taxes.map((_, tax) => shares.reduce((sum, share) => sum + (share[tax] ?? 0), 0));
        expect(sums).toEqual(taxes);
      }),
    );
  });
});

describe('what was credited', () => {
  const credit = (kind: 'credit' | 'refund', amount_cents: number, is_early: number | null) => ({
    ...{ kind, amount_cents, is_early },
  });

  it('has lowered what was due, goes to the card, or is kept for the next invoice', () => {
    const all = [credit('credit', 100, 1), credit('credit', 20, 0), credit('refund', 3, 0)];
    expect(creditFiguresOf(all)).toEqual({ creditedEarlyCents: 100, creditedToCardCents: 3 });
  });

  it('lowers nothing before the provider knows of it', () => {
    expect(creditFiguresOf([credit('credit', 100, null)])).toMatchObject({ creditedEarlyCents: 0 });
  });
});
