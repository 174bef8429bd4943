import { describe, expect, it } from 'vitest';
import { formatShare } from './format-share.ts';

describe('formatShare', () => {
  it('is a whole percent, with a decimal where it is small', () => {
    expect(formatShare(1, 3, 'en-CA')).toBe('33%');
    expect(formatShare(1, 1, 'en-CA')).toBe('100%');
    expect(formatShare(4, 1000, 'en-CA')).toBe('0.4%');
    expect(formatShare(4, 100, 'en-CA')).toBe('4.0%');
    expect(formatShare(996, 10_000, 'en-CA')).toBe('10%');
  });

  it('distinguishes little from nothing, and never divides by zero', () => {
    expect(formatShare(1, 1_000_000, 'en-CA')).toBe('<0.1%');
    expect(formatShare(0, 1_000_000, 'en-CA')).toBe('0%');
    expect(formatShare(0, 0, 'en-CA')).toBe('0%');
  });

  it('follows the conventions of French', () => {
    expect(formatShare(4, 1000, 'fr-CA')).toBe('0,4\u00a0%');
    expect(formatShare(1, 1_000_000, 'fr-CA')).toBe('<\u00a00,1\u00a0%');
  });
});
