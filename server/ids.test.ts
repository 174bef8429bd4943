import { describe, expect, it } from 'vitest';
import { newId, newToken } from './ids.ts';

describe('an identifier', () => {
  it('is a valid label of a hostname', () => {
    expect(newId()).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/);
  });
  it('sorts by creation, also within one millisecond', () => {
    const ids = Array.from({ length: 1000 }, () => newId(1_700_000_000_000));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });
  it('starts at a random point: two processes count differently', () => {
    // Later than any other test counts: within a time that has passed, identifiers follow the last one.
    const start = 200_000_000_000_000;
    const tails = Array.from({ length: 2000 }, (_, index) => newId(start + index).slice(10));
    expect(new Set(tails).size).toBe(tails.length);
    for (let position = 0; position < 16; position += 1) {
      // 2,000 draws of 32 symbols: a symbol that never appears would mean a broken source.
      expect(new Set(tails.map((tail) => tail[position])).size).toBe(32);
    }
  });
});

describe('a token', () => {
  it('contains the requested number of bytes and never repeats', () => {
    expect(Buffer.from(newToken(32), 'base64url')).toHaveLength(32);
    expect(newToken()).not.toBe(newToken());
  });
});
