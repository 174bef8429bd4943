import { describe, expect, it } from 'vitest';
import { formatCount } from './format-count.ts';

describe('formatCount', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1K'],
    [1234, '1.2K'],
    [999_949, '999.9K'],
    [999_950, '1M'],
    [1_000_000, '1M'],
    [3_449_000, '3.4M'],
    [1_234_500_000, '1,234.5M'],
  ])('abbreviates %d from a thousand and from a million: %s', (count, words) => {
    expect(formatCount(count, 'en-CA')).toBe(words);
  });

  it.each([
    [999, '999'],
    [1234, '1,2\u00a0k'],
    [3_449_000, '3,4\u00a0M'],
  ])('writes %d in French with a comma and a gap before the letter', (count, words) => {
    expect(formatCount(count, 'fr-CA')).toBe(words);
  });
});
