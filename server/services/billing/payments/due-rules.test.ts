import { describe, expect, it } from 'vitest';
import { type DueFigures, dueRows } from './due-rules.ts';

const ALL_DUE: DueFigures = {
  paidPartCents: 0,
  startingBalanceCents: null,
  ...{ totalCents: 300, dueCents: 300, creditedCents: 0, creditedEarlyCents: 0, creditedToCardCents: 0 },
  ...{ refundedCents: 0, rejectedCents: 0, disputedCents: 0, chargedBackCents: 0 },
};
const rowsOf = (figures: Partial<DueFigures>) =>
  dueRows({ ...ALL_DUE, ...figures }).map(({ kind, cents }) => `${kind} ${cents}`);

describe('below the total of an invoice', () => {
  it('stands nothing when exactly that is due', () => {
    expect(rowsOf({})).toEqual([]);
  });

  it('stands what earlier invoices left over, or too little to charge', () => {
    expect(rowsOf({ dueCents: 312 })).toEqual(['carriedIn 12', 'due 312']);
    expect(rowsOf({ totalCents: 12, dueCents: 0 })).toEqual(['carriedOut -12', 'due 0']);
  });

  it('stands a credit that covers what would be too little to charge, and what of it is added to the next invoice', () => {
    const small = { totalCents: 30, dueCents: 0 };
    expect(rowsOf({ ...small, startingBalanceCents: 0 })).toEqual(['carriedOut -30', 'due 0']);
    expect(rowsOf({ ...small, startingBalanceCents: -30 })).toEqual(['creditIn -30', 'due 0']);
    expect(rowsOf({ ...small, startingBalanceCents: -345 })).toEqual(['creditIn -30', 'due 0']);
    expect(rowsOf({ ...small, startingBalanceCents: -10 })).toEqual([
      'creditIn -10',
      'carriedOut -20',
      'due 0',
    ]);
    expect(rowsOf({ ...small, startingBalanceCents: 10 })).toEqual([
      'carriedIn 10',
      'carriedOut -40',
      'due 0',
    ]);
    expect(rowsOf({ dueCents: 0, startingBalanceCents: -260 })).toEqual([
      'creditIn -260',
      'carriedOut -40',
      'due 0',
    ]);
  });

  it('stands what was paid of an open one, and what is left', () => {
    expect(rowsOf({ paidPartCents: 100 })).toEqual(['due 300', 'paidPart -100', 'left 200']);
    const credited = { dueCents: 250, creditedCents: 50, creditedEarlyCents: 50, paidPartCents: 100 };
    expect(rowsOf(credited)).toEqual(['credited -50', 'due 250', 'paidPart -100', 'left 150']);
  });

  it('stands a credit once: before what is due if it lowers that, else after it', () => {
    expect(rowsOf({ dueCents: 200, creditedCents: 100, creditedEarlyCents: 100 })).toEqual([
      'credited -100',
      'due 200',
    ]);
    expect(rowsOf({ creditedCents: 100 })).toEqual(['credited -100']);
    expect(rowsOf({ dueCents: 200, creditedCents: 150, creditedEarlyCents: 100 })).toEqual([
      'credited -100',
      'due 200',
      'credited -50',
    ]);
    expect(rowsOf({ dueCents: 212, creditedCents: 100, creditedEarlyCents: 100 })).toEqual([
      'carriedIn 12',
      'credited -100',
      'due 212',
    ]);
  });

  it('stands what was credited to the card as a refund, and as nothing else', () => {
    const refunded = { creditedCents: 150, creditedToCardCents: 100, refundedCents: 100 };
    expect(rowsOf(refunded)).toEqual(['credited -50', 'refunded -100']);
  });

  it('stands what went back of its payment, to the payer or to a bank', () => {
    expect(rowsOf({ refundedCents: 100 })).toEqual(['refunded -100']);
    expect(rowsOf({ disputedCents: 300 })).toEqual(['disputed -300']);
    expect(rowsOf({ dueCents: 312, chargedBackCents: 312 })).toEqual([
      'carriedIn 12',
      'due 312',
      'chargedBack -312',
    ]);
  });

  it('stands what was credited of a paid invoice on the next one, as a credit', () => {
    expect(rowsOf({ dueCents: 200 })).toEqual(['creditIn -100', 'due 200']);
    expect(rowsOf({ dueCents: 0 })).toEqual(['creditIn -300', 'due 0']);
  });
});
