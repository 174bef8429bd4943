import { domainToASCII } from 'node:url';
import { describe, expect, it } from 'vitest';
import { unicodeHostname } from './unicode-hostname-rules.ts';

describe('the written form of a hostname', () => {
  it.each([
    'café.example',
    'www.münchen-ost.example',
    'québec.éléphant.ca',
    '例え.テスト',
    'пример.испытание',
    '😀.example',
    'مثال.example',
  ])('is %s again after conversion to punycode', (written) => {
    const ascii = domainToASCII(written);
    expect(ascii).toContain('xn--');
    expect(unicodeHostname(ascii)).toBe(written);
  });

  it('is null for a plain name, and for punycode that decodes to nothing', () => {
    expect(unicodeHostname('www.example.ca')).toBeNull();
    expect(unicodeHostname('xn--%.example')).toBeNull();
    expect(unicodeHostname('xn--zzzzzzzzzzzz.example')).toBeNull();
  });
});
