import { describe, expect, it } from 'vitest';
import { completeWebAddress } from './web-address.ts';

describe('a website as people type it', () => {
  it.each([
    ['example.ca', 'https://example.ca'],
    [' www.example.ca/team ', 'https://www.example.ca/team'],
    ['http://example.ca', 'http://example.ca'],
    ['HTTPS://example.ca', 'HTTPS://example.ca'],
    ['', ''],
    ['javascript:alert(1)', 'javascript:alert(1)'],
    ['mailto:ada@example.ca', 'mailto:ada@example.ca'],
    ['no address', 'no address'],
    ['localhost', 'localhost'],
  ])('%j becomes %j', (typed, completed) => {
    expect(completeWebAddress(typed)).toBe(completed);
  });
});
