/** Positions of the first and last byte, inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a Range header that requests one range of `size` bytes. `'whole'` for several ranges and for
 * anything unrecognized, which RFC 9110 allows a server to ignore; `'unsatisfiable'` when the range is
 * outside.
 */
export function readByteRange(header: string, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const found = readPositions(header);
  if (found === null) return 'whole';
  const { first, last } = found;
  if (first === '') {
    if (last === '') return 'whole';
    const length = Number(last);
    if (length === 0 || size === 0) return 'unsatisfiable';
    return { start: Math.max(0, size - length), end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return 'whole';
  return start >= size ? 'unsatisfiable' : { start, end };
}

const UNIT = 'bytes=';

/**
 * Returns the digits, if any, before and after the hyphen of the only range; read in one pass, however long
 * the header is.
 */
function readPositions(header: string): { first: string; last: string } | null {
  if (header.slice(0, UNIT.length).toLowerCase() !== UNIT) return null;
  const hyphen = header.indexOf('-', UNIT.length);
  if (hyphen < 0) return null;
  const first = header.slice(UNIT.length, hyphen).trim();
  const last = header.slice(hyphen + 1).trim();
  return isPosition(first) && isPosition(last) ? { first, last } : null;
}

/** Up to 15 digits fit a number exactly. */
function isPosition(text: string): boolean {
  return /^\d{0,15}$/.test(text);
}
