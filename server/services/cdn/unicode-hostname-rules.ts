const PREFIX = 'xn--';
/** The numbers of RFC 3492, section 5. */
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const BIAS_INITIAL = 72;
const CODE_POINT_INITIAL = 0x80;
const CODE_POINT_MAX = 0x10ffff;

/**
 * Returns a hostname as people write it, e.g. `café.example` for `xn--caf-dma.example`; null when there is no
 * difference.
 */
export function unicodeHostname(hostname: string): string | null {
  const labels = hostname.split('.').map((label) => {
    if (!label.startsWith(PREFIX)) return label;
    return decodeLabel(label.slice(PREFIX.length)) ?? label;
  });
  const written = labels.join('.');
  return written === hostname ? null : written;
}

/** Returns a hostname as people write it, which usually is the hostname itself. */
export function writtenHostname(hostname: string): string {
  return unicodeHostname(hostname) ?? hostname;
}

/** Decodes punycode (RFC 3492, section 6.2); null when it is invalid. */
function decodeLabel(encoded: string): string | null {
  const delimiter = encoded.lastIndexOf('-');
  const codePoints = Array.from(encoded.slice(0, Math.max(0, delimiter)), (letter) => letter.charCodeAt(0));
  let at = delimiter < 0 ? 0 : delimiter + 1;
  let codePoint = CODE_POINT_INITIAL;
  let bias = BIAS_INITIAL;
  let index = 0;
  while (at < encoded.length) {
    const before = index;
    let weight = 1;
    for (let k = BASE; ; k += BASE) {
      const digit = digitOf(encoded.charCodeAt(at));
      at += 1;
      if (digit === null) return null;
      index += digit * weight;
      const threshold = Math.min(T_MAX, Math.max(T_MIN, k - bias));
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const count = codePoints.length + 1;
    bias = adapt(index - before, count, before === 0);
    codePoint += Math.floor(index / count);
    if (codePoint > CODE_POINT_MAX) return null;
    index %= count;
    codePoints.splice(index, 0, codePoint);
    index += 1;
  }
  return String.fromCodePoint(...codePoints);
}

/** `a` to `z` are 0 to 25, `0` to `9` are 26 to 35; null for anything else, the end included. */
function digitOf(code: number): number | null {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61;
  return code >= 0x30 && code <= 0x39 ? code - 0x30 + 26 : null;
}

function adapt(delta: number, count: number, isFirst: boolean): number {
  let rest = isFirst ? Math.floor(delta / DAMP) : Math.floor(delta / 2);
  rest += Math.floor(rest / count);
  let k = 0;
  while (rest > ((BASE - T_MIN) * T_MAX) / 2) {
    rest = Math.floor(rest / (BASE - T_MIN));
    k += BASE;
  }
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}
