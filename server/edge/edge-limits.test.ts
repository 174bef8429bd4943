import { describe, expect, it } from 'vitest';
import { DEFAULT_EDGE_LIMITS, shareOfLimits } from './edge-limits.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

describe('the limits of an edge', () => {
  it('are divided among the edges of a machine', () => {
    expect(shareOfLimits(1, 64 * GIB)).toMatchObject({ memoryBytesMax: DEFAULT_EDGE_LIMITS.memoryBytesMax });
    expect(shareOfLimits(2, 64 * GIB)).toMatchObject({
      memoryBytesMax: 128 * MIB,
      transferBytesMax: 128 * MIB,
      transferBytesPerAddressMax: 32 * MIB,
    });
    expect(shareOfLimits(64, 64 * GIB)).toMatchObject({ memoryBytesMax: 32 * MIB });
  });

  it('are lower where there is little memory', () => {
    expect(shareOfLimits(2, GIB)).toMatchObject({ memoryBytesMax: 64 * MIB, viewBytesMax: 32 * MIB });
    expect(shareOfLimits(1, GIB / 2)).toMatchObject({ memoryBytesMax: 64 * MIB });
  });

  it('never let one address take all that waits for clients, and always let one connection wait', () => {
    for (const edges of [1, 2, 8, 64]) {
      for (const memory of [GIB / 2, GIB, 64 * GIB]) {
        const { transferBytesMax, transferBytesPerAddressMax } = shareOfLimits(edges, memory);
        expect(transferBytesPerAddressMax).toBeLessThanOrEqual(Number(transferBytesMax));
        expect(transferBytesPerAddressMax).toBeGreaterThanOrEqual(
          DEFAULT_EDGE_LIMITS.transferBytesPerConnectionMax,
        );
      }
    }
  });
});
