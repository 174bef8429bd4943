import type { ChecksumAlgorithm } from './checksums.ts';

/** Reversed polynomials, as used by the algorithms (ISO-HDLC, iSCSI, NVMe). */
const POLYNOMIALS: Partial<Record<ChecksumAlgorithm, { polynomial: bigint; bits: number }>> = {
  CRC32: { polynomial: 0xedb88320n, bits: 32 },
  CRC32C: { polynomial: 0x82f63b78n, bits: 32 },
  CRC64NVME: { polynomial: 0x9a6c9329ac4bc9b5n, bits: 64 },
};

/** A linear map of bit vectors: row `i` is what bit `i` becomes. */
type Matrix = readonly bigint[];

/** Whether the checksum of a whole can be calculated from those of its parts. */
export function canCombine(algorithm: ChecksumAlgorithm): boolean {
  return POLYNOMIALS[algorithm] !== undefined;
}

/**
 * Returns the checksum of concatenated parts, from their own checksums (base64) and lengths, without their
 * bytes: a checksum moves over zeros by a linear map, whose powers of two are squared out of one another
 * (zlib's crc32_combine).
 */
export function combineCrcs(
  algorithm: ChecksumAlgorithm,
  parts: readonly { checksum: string; size: number }[],
): string {
  const field = POLYNOMIALS[algorithm];
  if (field === undefined) throw new Error(`${algorithm} of a whole cannot be calculated from its parts`);
  const moves = bytePowers(field.polynomial, field.bits);
  let combined = 0n;
  for (const { checksum, size } of parts) {
    combined = moveOver(moves, combined, size) ^ toNumber(checksum);
  }
  return Buffer.from(combined.toString(16).padStart(field.bits / 4, '0'), 'hex').toString('base64');
}

function toNumber(checksum: string): bigint {
  return BigInt(`0x${Buffer.from(checksum, 'base64').toString('hex')}`);
}

const POWERS = 53;
const known = new Map<bigint, Matrix[]>();

/** Returns the maps over 1, 2, 4, … zero bytes, as many as a length in a number has bits. */
function bytePowers(polynomial: bigint, bits: number): Matrix[] {
  const kept = known.get(polynomial);
  if (kept !== undefined) return kept;
  const oneBit: Matrix = Array.from({ length: bits }, (_, bit) =>
    bit === 0 ? polynomial : 1n << BigInt(bit - 1),
  );
  let power = square(square(square(oneBit)));
  const powers = [power];
  while (powers.length < POWERS) {
    power = square(power);
    powers.push(power);
  }
  known.set(polynomial, powers);
  return powers;
}

function moveOver(powers: readonly Matrix[], value: bigint, bytes: number): bigint {
  let moved = value;
  let left = bytes;
  for (const power of powers) {
    if (left === 0) break;
    if (left % 2 === 1) moved = times(power, moved);
    left = Math.floor(left / 2);
  }
  return moved;
}

function times(matrix: Matrix, vector: bigint): bigint {
  let result = 0n;
  let rest = vector;
  for (const row of matrix) {
    if (rest === 0n) break;
    if ((rest & 1n) === 1n) result ^= row;
    rest >>= 1n;
  }
  return result;
}

function square(matrix: Matrix): Matrix {
  return matrix.map((row) => times(matrix, row));
}
