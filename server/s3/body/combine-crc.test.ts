import { describe, expect, it } from 'vitest';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { CHECKSUM_ALGORITHMS, checksumOf } from './checksums.ts';
import { canCombine, combineCrcs } from './combine-crc.ts';

const atOnce = async () => undefined;
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
      expect(await combineCrcs(algorithm, parts, atOnce)).toBe(
        await checksumOf(algorithm, Buffer.concat(contents)),
      );
    }
  });

  it('of a terabyte of zeros takes no noticeable time', async () => {
    const checksum = await checksumOf(algorithm, Buffer.from('x'));
    const parts = [
      { checksum, size: 1 },
      { checksum, size: 1024 ** 4 },
    ];
    expect(Buffer.from(await combineCrcs(algorithm, parts, atOnce), 'base64')).toHaveLength(
      algorithm === 'CRC64NVME' ? 8 : 4,
    );
  });
});

it('of ten thousand parts is calculated in turns', async () => {
  const checksum = await checksumOf('CRC64NVME', Buffer.from('x'));
  const parts = Array.from({ length: 10_000 }, (_, index) => ({ checksum, size: 5 * 1024 ** 2 + index }));
  let turns = 0;
  await combineCrcs('CRC64NVME', parts, async () => {
    turns += 1;
  });
  expect(turns).toBe(39);
});

it('cannot be calculated from hashes of parts', async () => {
  expect(combinable).toEqual(['CRC32', 'CRC32C', 'CRC64NVME']);
  await expect(combineCrcs('SHA256', [], atOnce)).rejects.toThrow();
});
