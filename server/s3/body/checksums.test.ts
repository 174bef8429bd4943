import { randomBytes } from 'node:crypto';
import { Crc32c, Crc64NvmeJs } from '@aws-sdk/checksums/crc';
import { describe, expect, it } from 'vitest';
import { type ChecksumAlgorithm, checksumOf, startChecksum } from './checksums.ts';

/** The check values of each algorithm: of nothing, or of `123456789`, from its specification. */
const KNOWN: readonly [ChecksumAlgorithm, string, string][] = [
  ['CRC32', '123456789', 'cbf43926'],
  ['CRC32C', '123456789', 'e3069283'],
  ['CRC64NVME', '123456789', 'ae8b14860a799888'],
  ['XXHASH64', '', 'ef46db3751d8e999'],
  ['XXHASH3', '', '2d06800538d394c2'],
  ['XXHASH128', '', '99aa06d3014798d86001c324468d497f'],
];

describe('the checksum', () => {
  it.each(KNOWN)('%s of %j is the one of its specification', async (algorithm, content, hex) => {
    const checksum = await checksumOf(algorithm, Buffer.from(content));
    expect(Buffer.from(checksum, 'base64').toString('hex')).toBe(hex);
  });

  it.each([
    ['CRC32C', Crc32c],
    ['CRC64NVME', Crc64NvmeJs],
  ] as const)('%s of any content in any portions is that of the AWS SDK', async (algorithm, Sdk) => {
    const content = randomBytes(1_000);
    for (let length = 0; length < 40; length += 1) {
      const sdk = new Sdk();
      const own = startChecksum(algorithm);
      for (const [start, end] of [
        [0, length],
        [length, length],
        [length, 1_000 - length],
      ]) {
        sdk.update(content.subarray(start, end));
        own.update(content.subarray(start, end));
      }
      expect(await own.digest()).toBe(Buffer.from(await sdk.digest()).toString('base64'));
    }
  });
});
