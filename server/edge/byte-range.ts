/** Positions of the first and last byte, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The one range that a Range header asks of `size` bytes. `'whole'` for several ranges and for anything that is not understood,
 * which RFC 9110 lets a server ignore; `'unsatisfiable'` when it lies outside.
 */
export function readByteRange(header: string, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const found = /^bytes=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(header);
  if (found === null) return 'whole';
  const [, first = '', last = ''] = found;
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
