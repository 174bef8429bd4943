import { describe, expect, test } from 'vitest';
import { chooseEncoding } from './negotiate-encoding.ts';

describe('Accept-Encoding', () => {
  test.each([
    ['', 'identity'],
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['GZIP;Q=1', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', 'identity'],
    ['*', 'br'],
    ['*;q=0', 'identity'],
    ['identity', 'identity'],
    ['identity;q=1, br;q=0.5', 'identity'],
    ['identity;q=0.5, br;q=0.5', 'br'],
    ['x-gzip', 'gzip'],
    ['deflate', 'identity'],
    ['br;q=nonsense', 'identity'],
  ])('%j chooses %s', (header, encoding) => {
    expect(chooseEncoding(header, true, true)).toBe(encoding);
  });

  test('only an existing encoding is chosen', () => {
    expect(chooseEncoding('gzip, br', false, true)).toBe('gzip');
    expect(chooseEncoding('gzip, br', true, false)).toBe('br');
    expect(chooseEncoding('gzip, br', false, false)).toBe('identity');
  });
});
