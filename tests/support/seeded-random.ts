/** Randomness that is the same in every run. */
export interface SeededRandom {
  /** A number from 0 to below 1. */
  next(): number;
  /** An integer from 0 to below `bound`. */
  below(bound: number): number;
  /** Bytes that do not compress. */
  bytes(length: number): Buffer;
}

/**
 * Returns a 32-bit generator (a linear congruence whose high bits are mixed): enough to choose moments and
 * fill files.
 */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const word = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 15), 2_246_822_519);
    return (mixed ^ (mixed >>> 13)) >>> 0;
  };
  const next = () => word() / 2 ** 32;
  return {
    next,
    below: (bound) => Math.floor(next() * bound),
    bytes(length) {
      const bytes = Buffer.alloc(length);
      for (let index = 0; index < length; index += 1) bytes[index] = word() & 0xff;
      return bytes;
    },
  };
}
