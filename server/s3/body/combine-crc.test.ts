import { describe, expect, it } from 'vitest';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { CHECKSUM_ALGORITHMS, checksumOf } from './checksums.ts';
import { canCombine, combineCrcs } from './combine-crc.ts';

const combinable = CHECKSUM_ALGORITHMS.filter(canCombine);

describe.each(combinable)('%s of a whole', (algorithm) => {
  it('is calculated from those of its parts, of any sizes', async () => {
    const random = seededRandom(7);
    for (let round = 0; round < 40; round += 1) {
      const contents = Array.from({ length: 1 + random.below(6) }, () => random.bytes(random.below(3_000)));
      const parts = await Promise.all(
        contents.map(async (bytes) => ({
          checksum: await checksumOf(algorithm, bytes),
          size: bytes.byteLength,
        })),
      );
      expect(combineCrcs(algorithm, parts)).toBe(await checksumOf(algorithm, Buffer.concat(contents)));
    }
  });

  it('of a terabyte of zeros takes no noticeable time', async () => {
    const checksum = await checksumOf(algorithm, Buffer.from('x'));
    const parts = [
      { checksum, size: 1 },
      { checksum, size: 1024 ** 4 },
    ];
    expect(Buffer.from(combineCrcs(algorithm, parts), 'base64')).toHaveLength(
      algorithm === 'CRC64NVME' ? 8 : 4,
    );
  });
});

it('cannot be calculated from hashes of parts', () => {
  expect(combinable).toEqual(['CRC32', 'CRC32C', 'CRC64NVME']);
  expect(() => combineCrcs('SHA256', [])).toThrow();
});
