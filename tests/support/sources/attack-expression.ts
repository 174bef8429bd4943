import fc from 'fast-check';

/**
 * Characters of an attack: a quadratic expression takes ten milliseconds or more, a linear one well under
 * one.
 */
const LENGTH = 6_000;
/** Faster growth becomes visible, and ends the attack, before a match would never return. */
const LESSER_LENGTHS = [20, 26, 100, 500, 1_500];
/**
 * Only what takes this share of a quadratic expression's time on the same machine is measured again, at two
 * sizes.
 */
const SUSPICIOUS_SHARE = 0.1;
/** Four times the text: a linear expression takes four times as long, a quadratic one sixteen times. */
const RATIO_MAX = 9;
/** The fastest of these is the least disturbed. */
const TRIES = 3;
const SAMPLES = 5;
const PLACES_MAX = 8;
const SAMPLE_LENGTH_MAX = 40;
/** No expression matches across this, whatever it has matched so far. */
const ENDS = ['', '\u0001\n'];

type Write = (length: number) => string;

/**
 * Returns a text for which an expression takes more than linear time, truncated for display; null when none
 * was found.
 */
export function attackExpression(expression: RegExp): string | null {
  const flags = expression.flags.replace(/[gy]/g, '');
  // Searches for every match, so that slowness between matches is found as well.
  const global = new RegExp(expression.source, `${flags}g`);
  quadraticMs ??= measureQuadratic();
  const suspiciousMs = quadraticMs * SUSPICIOUS_SHARE;
  /** Returns the time it takes if suspicious, otherwise null. */
  const suspicious = (text: string) => {
    if (time(global, text) <= suspiciousMs) return null;
    const ms = best(global, text);
    return ms > suspiciousMs ? ms : null;
  };
  for (const write of attacks(expression)) {
    if (LESSER_LENGTHS.some((length) => suspicious(write(length)) !== null)) return write(20);
    const ms = suspicious(write(LENGTH));
    if (ms !== null && ms > RATIO_MAX * best(global, write(LENGTH / 4))) return write(20);
  }
  return null;
}

let quadraticMs: number | undefined;

/** Returns the time that an expression known to be quadratic takes on this machine. */
function measureQuadratic(): number {
  return best(/ +$/g, `${' '.repeat(LENGTH)}x`);
}

function time(expression: RegExp, text: string): number {
  const started = performance.now();
  text.replaceAll(expression, '');
  return performance.now() - started;
}

function best(expression: RegExp, text: string): number {
  return Math.min(...Array.from({ length: TRIES }, () => time(expression, text)));
}

/** Texts of any length made of those that the expression matches, with one part repeated. */
function* attacks(expression: RegExp): Generator<Write> {
  const seen = new Set<string>();
  for (const sample of samplesOf(expression)) {
    const step = Math.max(1, Math.ceil(sample.length / PLACES_MAX));
    for (let place = 0; place < sample.length; place += step) {
      for (const width of [1, 2]) {
        const part = sample.slice(place, place + width);
        for (const end of ENDS) {
          const key = JSON.stringify([sample.slice(0, place), part, end]);
          if (part.length < width || seen.has(key)) continue;
          seen.add(key);
          const [before, after] = [sample.slice(0, place), sample.slice(place + width) + end];
          yield (length) => before + part.repeat(length / width) + after;
        }
      }
    }
  }
}

/** The candidates for a character class: the first few of these that it contains. */
const ALPHABET = 'a0-/ .:=%@_?#A+\t\n"é,;&~z9';
const CLASS_CHARACTERS_MAX = 6;

function samplesOf({ source, flags }: RegExp): string[] {
  const codeFlags = flags.replace(/[^su]/g, '');
  const fewOf = (set: string) => {
    const member = new RegExp(`^${set}$`, codeFlags);
    const few = [...ALPHABET].filter((character) => member.test(character)).slice(0, CLASS_CHARACTERS_MAX);
    const codes = (few.length === 0 ? ['a'] : few).map((one) =>
      one.charCodeAt(0).toString(16).padStart(4, '0'),
    );
    return `[${codes.map((code) => `\\u${code}`).join('')}]`;
  };
  // The generator supports neither assertions nor back references, and is slow with large classes; without
  // them it creates texts that are just as hard.
  const plain = source
    .replace(/\(\?<?[=!](?:[^()[\]]|\[[^\]]*\])*\)/g, '')
    .replaceAll('\\b', '')
    .replace(/\\[1-9]/g, '')
    .replace(/\\.|\[(?:\\.|[^\]\\])*\]/g, (part) => (part.startsWith('[') ? fewOf(part) : part))
    .replace(/\\[pP]\{[^}]*\}|\\[sSwWD]/g, fewOf)
    .replace(/(^|[^\\])\./g, (_, before: string) => before + fewOf('.'));
  const matching = fc.stringMatching(new RegExp(plain, codeFlags));
  const samples = fc.sample(matching, { numRuns: SAMPLES, seed: 1 });
  return samples.map((sample) => sample.slice(0, SAMPLE_LENGTH_MAX));
}
