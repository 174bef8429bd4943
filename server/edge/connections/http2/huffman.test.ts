import { expect, test } from 'vitest';
import { decodeHuffman, huffmanLength, pushHuffman } from './huffman.ts';

function encode(text: string): Uint8Array {
  const bytes: number[] = [];
  pushHuffman(bytes, text);
  return Uint8Array.from(bytes);
}

function decode(bytes: Uint8Array): string | null {
  return decodeHuffman(bytes, 0, bytes.length);
}

test('the examples of RFC 7541, Appendix C.4 and C.6', () => {
  const examples = {
    'www.example.com': 'f1e3c2e5f23a6ba0ab90f4ff',
    'no-cache': 'a8eb10649cbf',
    'custom-key': '25a849e95ba97d7f',
    'custom-value': '25a849e95bb8e8b4bf',
    'Mon, 21 Oct 2013 20:13:21 GMT': 'd07abe941054d444a8200595040b8166e082a62d1bff',
    'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1':
      '94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
  };
  for (const [text, hex] of Object.entries(examples)) {
    expect(Buffer.from(encode(text)).toString('hex')).toBe(hex);
    expect(decode(Buffer.from(hex, 'hex'))).toBe(text);
    expect(huffmanLength(text)).toBe(hex.length / 2);
  }
});

test('every character is decoded unchanged, alone and next to any other', () => {
  for (let first = 0; first < 256; first += 1) {
    for (let second = 0; second < 256; second += 1) {
      const text = String.fromCharCode(first, second);
      expect(decode(encode(text))).toBe(text);
    }
  }
});

test('every sequence of bits has a meaning', () => {
  // A complete prefix code: the fractions of all codes add up to one.
  let sum = 0;
  for (let symbol = 0; symbol < 256; symbol += 1) {
    const bytes: number[] = [];
    pushHuffman(bytes, String.fromCharCode(symbol).repeat(8));
    sum += 2 ** -bytes.length;
  }
  expect(sum + 2 ** -30).toBe(1);
});

test('invalid padding, and the code for the end, are rejected', () => {
  expect(decode(Buffer.from('1f', 'hex'))).toBe('a');
  // Zeros instead of ones, a whole byte of padding or more, and EOS itself.
  for (const hex of ['18', 'ff', '1fff', 'ffffffff']) expect(decode(Buffer.from(hex, 'hex'))).toBeNull();
  expect(decode(new Uint8Array())).toBe('');
});
