import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Sha256 } from './sha256.ts';

const reference = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('Sha256', () => {
  it('agrees with the known digests of the standard', () => {
    expect(new Sha256().hex()).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(new Sha256().update(new TextEncoder().encode('abc')).hex()).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('agrees with OpenSSL at every length around a block, however the input is cut', () => {
    for (const length of [1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 1000, 100_003]) {
      const bytes = randomBytes(length);
      for (const portion of [1, 7, 64, 65, 4096].filter((size) => length / size < 5000)) {
        const hash = new Sha256();
        for (let start = 0; start < length; start += portion)
          hash.update(bytes.subarray(start, start + portion));
        expect(hash.hex()).toBe(reference(bytes));
      }
    }
  });
});
