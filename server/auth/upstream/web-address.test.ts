import { describe, expect, it } from 'vitest';
import { textOrNull, webAddressOrNull } from './web-address.ts';

describe('text from an issuer', () => {
  it('is one line of limited length that every database returns unchanged', () => {
    expect(textOrNull(' Ada\u0000\nLovelace\t', 100)).toBe('Ada Lovelace');
    expect(textOrNull(`${'a'.repeat(9)}😀`, 10)?.isWellFormed()).toBe(true);
    expect(textOrNull('\ud800', 10)).toBe('\ufffd');
    expect(textOrNull('\u0000', 10)).toBeNull();
  });
});

describe('an address from an issuer', () => {
  it('is a web address or null', () => {
    expect(webAddressOrNull(' https://rivers.example.ca/a?b ')).toBe('https://rivers.example.ca/a?b');
    for (const value of [
      'javascript:alert(1)',
      'data:text/html,x',
      '//rivers.example.ca',
      'https://',
      'https://rivers.example.ca/\u0000',
      ` https://rivers.example.ca/${'a'.repeat(500)}`,
      null,
    ]) {
      expect(webAddressOrNull(value), String(value)).toBeNull();
    }
  });
});
