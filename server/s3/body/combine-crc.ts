import type { ChecksumAlgorithm } from './checksums.ts';

export type CrcAlgorithm = 'CRC32' | 'CRC32C' | 'CRC64NVME';

interface CrcField {
  readonly polynomial: Vector;
  readonly bits: 32 | 64;
}

/** Reversed polynomials, as used by the algorithms (ISO-HDLC, iSCSI, NVMe): the high 32 bits and the low ones. */
export const CRC_FIELDS: Readonly<Record<CrcAlgorithm, CrcField>> = {
  CRC32: { polynomial: [0, 0xedb88320], bits: 32 },
  CRC32C: { polynomial: [0, 0x82f63b78], bits: 32 },
  CRC64NVME: { polynomial: [0x9a6c9329, 0xac4bc9b5], bits: 64 },
};

/** Sixty-four bits in halves: those of a BigInt would take a hundred times as long. */
type Vector = readonly [high: number, low: number];

/** A linear map of bit vectors: what bit `i` becomes stands at `2 * i`, its high half first. */
type Matrix = Uint32Array;

/** Whether the checksum of a whole can be calculated from those of its parts. */
export function canCombine(algorithm: ChecksumAlgorithm): algorithm is CrcAlgorithm {
  return algorithm in CRC_FIELDS;
}

/** Parts after which others have a turn: one or two milliseconds of work. */
const PARTS_OF_TURN = 250;

/**
 * Returns the checksum of concatenated parts, from their own checksums (base64) and lengths, without their
 * bytes: a checksum moves over zeros by a linear map, whose powers of two are squared out of one another
 * (zlib's crc32_combine).
 * @param takeTurn awaited again and again, since there may be thousands of parts
 */
export async function combineCrcs(
  algorithm: ChecksumAlgorithm,
  parts: readonly { checksum: string; size: number }[],
  takeTurn: () => Promise<void>,
): Promise<string> {
  if (!canCombine(algorithm)) throw new Error(`${algorithm} of a whole cannot be calculated from its parts`);
  const field = CRC_FIELDS[algorithm];
  const moves = bytePowers(algorithm, field);
  let combined: Vector = [0, 0];
  for (const [index, { checksum, size }] of parts.entries()) {
    if (index > 0 && index % PARTS_OF_TURN === 0) await takeTurn();
    const [high, low] = moveOver(moves, combined, size);
    const [ownHigh, ownLow] = toVector(checksum);
    combined = [high ^ ownHigh, low ^ ownLow];
  }
  const bytes = Buffer.alloc(8);
  bytes.writeInt32BE(combined[0], 0);
  bytes.writeInt32BE(combined[1], 4);
  return bytes.subarray(8 - field.bits / 8).toString('base64');
}

function toVector(checksum: string): Vector {
  const bytes = Buffer.from(checksum, 'base64');
  return [bytes.length > 4 ? bytes.readInt32BE(0) : 0, bytes.readInt32BE(bytes.length - 4)];
}

const POWERS = 53;
const known = new Map<ChecksumAlgorithm, Matrix[]>();

/** Returns the maps over 1, 2, 4, … zero bytes, as many as a length in a number has bits. */
function bytePowers(
  algorithm: ChecksumAlgorithm,
  { polynomial, bits }: { polynomial: Vector; bits: number },
): Matrix[] {
  const kept = known.get(algorithm);
  if (kept !== undefined) return kept;
  const oneBit = new Uint32Array(2 * bits);
  oneBit.set(polynomial);
  for (let bit = 1; bit < bits; bit += 1) oneBit[2 * bit + (bit > 32 ? 0 : 1)] = 2 ** ((bit - 1) % 32);
  let power = square(square(square(oneBit)));
  const powers = [power];
  while (powers.length < POWERS) {
    power = square(power);
    powers.push(power);
  }
  known.set(algorithm, powers);
  return powers;
}

function moveOver(powers: readonly Matrix[], vector: Vector, bytes: number): Vector {
  let moved = vector;
  let left = bytes;
  for (const power of powers) {
    if (left === 0) break;
    if (left % 2 === 1) moved = times(power, moved);
    left = Math.floor(left / 2);
  }
  return moved;
}

function times(matrix: Matrix, [vectorHigh, vectorLow]: Vector): Vector {
  let high = 0;
  let low = 0;
  for (let rest = vectorLow, at = 0; rest !== 0; rest >>>= 1, at += 2) {
    if ((rest & 1) === 0) continue;
    high ^= matrix[at] ?? 0;
    low ^= matrix[at + 1] ?? 0;
  }
  for (let rest = vectorHigh, at = 64; rest !== 0; rest >>>= 1, at += 2) {
    if ((rest & 1) === 0) continue;
    high ^= matrix[at] ?? 0;
    low ^= matrix[at + 1] ?? 0;
  }
  return [high, low];
}

function square(matrix: Matrix): Matrix {
  const squared = new Uint32Array(matrix.length);
  for (let at = 0; at < matrix.length; at += 2) {
    squared.set(times(matrix, [matrix[at] ?? 0, matrix[at + 1] ?? 0]), at);
  }
  return squared;
}
