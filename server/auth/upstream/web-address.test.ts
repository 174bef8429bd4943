import { describe, expect, it } from 'vitest';
import { textOrNull, webAddressOrNull } from './web-address.ts';

describe('a text of an issuer', () => {
  it('is one line of bounded length that every database gives back as it was', () => {
    expect(textOrNull(' Ada\u0000\nLovelace\t', 100)).toBe('Ada Lovelace');
    expect(textOrNull(`${'a'.repeat(9)}😀`, 10)?.isWellFormed()).toBe(true);
    expect(textOrNull('\ud800', 10)).toBe('\ufffd');
    expect(textOrNull('\u0000', 10)).toBeNull();
  });
});

describe('an address of an issuer', () => {
  it('is of the web, or none', () => {
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
