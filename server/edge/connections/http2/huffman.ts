/**
 * Lengths in bits of the codes of RFC 7541, Appendix B, by symbol; the last one is EOS. The code is
 * canonical: codes of the same length are in the order of their symbols, so the lengths define it completely.
 */
const CODE_LENGTHS = [
  ...[13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28],
  ...[28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28],
  ...[6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6],
  ...[5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10],
  ...[13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7],
  ...[7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6],
  ...[15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5],
  ...[6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28],
  ...[20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23],
  ...[24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24],
  ...[22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23],
  ...[21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23],
  ...[26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25],
  ...[19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27],
  ...[20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23],
  ...[26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26],
  30,
];
const EOS = 256;
const CODES = canonicalCodes(CODE_LENGTHS);

function canonicalCodes(lengths: readonly number[]): Uint32Array {
  const codes = new Uint32Array(lengths.length);
  const symbols = lengths.map((length, symbol) => ({ length, symbol }));
  symbols.sort((a, b) => a.length - b.length || a.symbol - b.symbol);
  let code = 0;
  let before = symbols[0]?.length ?? 0;
  for (const { length, symbol } of symbols) {
    code <<= length - before;
    before = length;
    codes[symbol] = code;
    code += 1;
  }
  return codes;
}

/**
 * The decoder is a state table: a state is a position within a symbol's code, and half a byte leads from one
 * to the next. No code is shorter than five bits, so half a byte completes one symbol at most.
 */
const NIBBLES = 16;
/** In `TRANSITIONS`, above the next state (9 bits): whether a symbol was completed, and which one. */
const HAS_SYMBOL = 1 << 9;
const SYMBOL_SHIFT = 10;
/** EOS must not occur (RFC 7541, 5.2). */
const REFUSED = 0xffff_ffff;
const { transitions: TRANSITIONS, isPadding: IS_PADDING } = buildDecoder();

function buildDecoder(): { transitions: Uint32Array; isPadding: Uint8Array } {
  // Two children for each inner node: the index of another one, or a symbol as its negative minus one.
  const children: [number, number][] = [[0, 0]];
  for (const [symbol, length] of CODE_LENGTHS.entries()) {
    let node = 0;
    for (let bit = length - 1; bit > 0; bit -= 1) {
      const side = ((CODES[symbol] ?? 0) >> bit) & 1;
      const pair = children[node] as [number, number];
      if (pair[side] === 0) {
        pair[side] = children.length;
        children.push([0, 0]);
      }
      node = pair[side] as number;
    }
    (children[node] as [number, number])[(CODES[symbol] ?? 0) & 1] = -symbol - 1;
  }
  const transitions = new Uint32Array(children.length * NIBBLES);
  for (let state = 0; state < children.length; state += 1) {
    for (let nibble = 0; nibble < NIBBLES; nibble += 1) {
      let node = state;
      let ended = 0;
      for (let bit = 3; bit >= 0 && ended !== REFUSED; bit -= 1) {
        node = children[node]?.[(nibble >> bit) & 1] ?? 0;
        if (node >= 0) continue;
        const symbol = -node - 1;
        ended = symbol === EOS ? REFUSED : HAS_SYMBOL | (symbol << SYMBOL_SHIFT);
        node = 0;
      }
      transitions[state * NIBBLES + nibble] = ended === REFUSED ? REFUSED : ended | node;
    }
  }
  // What follows the last symbol is the beginning of EOS, all ones, and shorter than a byte.
  const isPadding = new Uint8Array(children.length);
  for (let node = 0, bits = 0; bits < 8; bits += 1) {
    isPadding[node] = 1;
    node = children[node]?.[1] ?? 0;
  }
  return { transitions, isPadding };
}

/** Grows with the longest value so far, whose size the caller limits. */
let decoded = Buffer.allocUnsafe(4_096);

/** Decodes the text, as Latin-1, from `start` to `end`; null when it is invalid. Takes linear time. */
export function decodeHuffman(bytes: Uint8Array, start: number, end: number): string | null {
  const charactersMax = Math.ceil(((end - start) * 8) / 5);
  if (decoded.length < charactersMax) decoded = Buffer.allocUnsafe(charactersMax);
  let state = 0;
  let length = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    const high = TRANSITIONS[state * NIBBLES + (byte >> 4)] ?? REFUSED;
    if (high === REFUSED) return null;
    if ((high & HAS_SYMBOL) !== 0) {
      decoded[length] = high >> SYMBOL_SHIFT;
      length += 1;
    }
    const low = TRANSITIONS[(high & 0x1ff) * NIBBLES + (byte & 15)] ?? REFUSED;
    if (low === REFUSED) return null;
    if ((low & HAS_SYMBOL) !== 0) {
      decoded[length] = low >> SYMBOL_SHIFT;
      length += 1;
    }
    state = low & 0x1ff;
  }
  return IS_PADDING[state] === 1 ? decoded.toString('latin1', 0, length) : null;
}

/** Returns the encoded length of a Latin-1 text in bytes. */
export function huffmanLength(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at += 1) bits += CODE_LENGTHS[text.charCodeAt(at)] ?? 0;
  return Math.ceil(bits / 8);
}

/** Appends a Latin-1 text, encoded, to bytes. */
export function pushHuffman(bytes: number[], text: string): void {
  let held = 0;
  let bits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const symbol = text.charCodeAt(at);
    const length = CODE_LENGTHS[symbol] ?? 0;
    const code = CODES[symbol] ?? 0;
    // Up to 7 bits are pending and a code has up to 28 here: more than 32 in total, so it is written in two
    // parts.
    for (let left = length; left > 0; ) {
      const part = Math.min(left, 8);
      left -= part;
      held = (held << part) | ((code >>> left) & ((1 << part) - 1));
      bits += part;
      if (bits >= 8) {
        bits -= 8;
        bytes.push((held >>> bits) & 0xff);
        held &= (1 << bits) - 1;
      }
    }
  }
  if (bits > 0) bytes.push(((held << (8 - bits)) | (0xff >> bits)) & 0xff);
}
