import { describe, expect, it } from 'vitest';
import { formatBytes, formatBytesLike } from './format-bytes.ts';

describe('formatBytes', () => {
  it('counts in steps of 1024 with two decimals, so that columns line up', () => {
    expect(formatBytes(0, 'en-CA')).toBe('0\u00a0B');
    expect(formatBytes(1023, 'en-CA')).toBe('1,023\u00a0B');
    expect(formatBytes(1536, 'en-CA')).toBe('1.50\u00a0KB');
    expect(formatBytes(1024 ** 3 * 2.345, 'en-CA')).toBe('2.35\u00a0GB');
    expect(formatBytes(1024 ** 5, 'en-CA')).toBe('1,024.00\u00a0TB');
  });

  it('goes on to the next unit where the decimals would be rounded up to it', () => {
    expect(formatBytes(1024 ** 2 - 1, 'en-CA')).toBe('1.00\u00a0MB');
    expect(formatBytes(1024 ** 2 - 10, 'en-CA')).toBe('1,023.99\u00a0KB');
    expect(formatBytes(1024 ** 4 - 1, 'fr-CA')).toBe('1,00\u00a0To');
  });

  it('uses the French units and comma', () => {
    expect(formatBytes(1536, 'fr-CA')).toBe('1,50\u00a0Ko');
  });
});

describe('formatBytesLike', () => {
  it('keeps the unit of the highest label along an axis', () => {
    const half = 1024 ** 3 / 2;
    const labels = [0, half, 2 * half, 3 * half].map((bytes) => formatBytesLike(3 * half, bytes, 'en-CA'));
    expect(labels).toEqual(['0\u00a0GB', '0.5\u00a0GB', '1\u00a0GB', '1.5\u00a0GB']);
    expect(formatBytesLike(1024 ** 5 * 1.5, 1024 ** 5, 'fr-CA')).toBe('1\u00a0024\u00a0To');
    expect(formatBytesLike(0, 0, 'fr-CA')).toBe('0\u00a0o');
  });
});
