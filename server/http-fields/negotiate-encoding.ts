/** The encodings in which content is sent. */
export type SentEncoding = 'identity' | 'br' | 'gzip';

/** The choices for the four combinations of existing copies: bit 0 brotli, bit 1 gzip. */
export type EncodingChoices = readonly [SentEncoding, SentEncoding, SentEncoding, SentEncoding];

const IDENTITY_ONLY: EncodingChoices = ['identity', 'identity', 'identity', 'identity'];
const REMEMBERED_MAX = 256;
const remembered = new Map<string, EncodingChoices>();

/**
 * Returns the best of the existing encodings for an Accept-Encoding header; brotli before gzip unless the
 * client prefers otherwise.
 */
export function chooseEncoding(acceptEncoding: string, hasBrotli: boolean, hasGzip: boolean): SentEncoding {
  return encodingChoices(acceptEncoding)[(hasBrotli ? 1 : 0) | (hasGzip ? 2 : 0)] ?? 'identity';
}

/** All four choices for a header; clients send few different ones, so they are cached. */
export function encodingChoices(acceptEncoding: string): EncodingChoices {
  if (acceptEncoding === '') return IDENTITY_ONLY;
  const known = remembered.get(acceptEncoding);
  if (known !== undefined) return known;
  const weights = readWeights(acceptEncoding);
  const choices: EncodingChoices = [
    'identity',
    best(weights, ['br']),
    best(weights, ['gzip']),
    best(weights, ['br', 'gzip']),
  ];
  if (remembered.size >= REMEMBERED_MAX) remembered.clear();
  if (acceptEncoding.length <= 200) remembered.set(acceptEncoding, choices);
  return choices;
}

function best(weights: ReadonlyMap<string, number>, candidates: readonly ('br' | 'gzip')[]): SentEncoding {
  const wildcard = weights.get('*');
  // When not listed, identity is acceptable but the last choice; it is only refused by name or by `*;q=0`.
  let chosen: SentEncoding = 'identity';
  let weight = weights.get('identity') ?? 0;
  for (const candidate of candidates) {
    const own =
      weights.get(candidate) ?? (candidate === 'gzip' ? weights.get('x-gzip') : undefined) ?? wildcard ?? 0;
    if (own > 0 && (own > weight || (own === weight && chosen === 'identity'))) {
      chosen = candidate;
      weight = own;
    }
  }
  return chosen;
}

function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    if (name === '') continue;
    let weight = 1;
    for (const parameter of parameters) {
      const found = /^q\s*=\s*([01](?:\.\d{0,3})?)$/.exec(parameter);
      if (found !== null) weight = Math.min(1, Number(found[1]));
      else if (parameter.startsWith('q')) weight = 0;
    }
    weights.set(name, weight);
  }
  return weights;
}
