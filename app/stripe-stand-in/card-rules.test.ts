import { describe, expect, it } from 'vitest';
import { findProblems, groupExpiry, groupNumber } from './card-rules.ts';

const CARD = { number: '4242 4242 4242 4242', expiry: '12 / 34', code: '123' };
const TODAY = new Date(2026, 2, 15);

describe('a card typed into the stand-in', () => {
  it('is grouped as it is printed', () => {
    expect(groupNumber('4242424242424242')).toBe('4242 4242 4242 4242');
    expect(groupNumber('4242-42x')).toBe('4242 42');
    expect(['1', '12', '123', '1234', '7', '734', '12 / 34'].map(groupExpiry)).toEqual([
      '1',
      '12',
      '12 / 3',
      '12 / 34',
      '07',
      '07 / 34',
      '12 / 34',
    ]);
  });

  it('is complete, verified by its check digit, and valid until the end of its month', () => {
    expect(findProblems(CARD, TODAY)).toEqual({});
    expect(findProblems({ ...CARD, expiry: '03 / 26' }, TODAY)).toEqual({});
    expect(findProblems({ ...CARD, expiry: '02 / 26' }, TODAY)).toEqual({ expiry: 'invalid_expiry_year' });
    expect(findProblems({ ...CARD, expiry: '13 / 30' }, TODAY)).toEqual({ expiry: 'invalid_expiry_month' });
    expect(findProblems({ ...CARD, number: '4242 4242 4242 4241' }, TODAY)).toEqual({
      number: 'invalid_number',
    });
    expect(findProblems({ number: '', expiry: '', code: '' }, TODAY)).toEqual({
      number: 'incomplete_number',
      expiry: 'incomplete_expiry',
      code: 'incomplete_cvc',
    });
  });
});
