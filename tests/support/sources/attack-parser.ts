/**
 * Characters of the attacks. Fast growth becomes visible at the first length, and would take minutes at the
 * second.
 */
const LENGTHS = [4_000, 32_000];
/** Only what takes this long is measured again, next to an attack that is so many times shorter. */
const SUSPICIOUS_MS = 12;
/** What takes this long once, or this long twice, is no coincidence and is not measured again. */
const CERTAIN_MS = 1_000;
const CERTAIN_TWICE_MS = 100;
const GROWTH = 8;
/**
 * Less is below the system's resolution, which may return 0. A superlinear parser takes a hundred times as
 * long.
 */
const MEASURABLE_MS = 1;
/** Eight times the text: a linear parser takes eight times as long, a quadratic one 64 times. */
const RATIO_MAX = 24;

/** What separates, nests, escapes or combines in the texts that we parse. */
const PARTS = [
  ...[
    'a',
    '0',
    ' ',
    '\t',
    '\n',
    '\r\n',
    ',',
    ';',
    ':',
    '/',
    '.',
    '-',
    '=',
    '*',
    '"',
    '\\',
    '#',
    '?',
    '&',
    '@',
  ],
  ...['%', '%41', '%2F', 'é', ':a', '/*', './', '[', '{', '__', 'W/"a",', 'a=b;', '/a', '"a":1,'],
];
/** Normalizing sorts marks by their class, which takes quadratic time where two classes meet. */
const PAIRS: [string, string][] = [
  ['\u0315', '\u0316'],
  ['%CC%95', '%CC%96'],
  ['\uff9e', '\u0334'],
  ['\r\n', ' '],
  ['a', ','],
];

/** A parser under attack. */
export interface AttackedParser {
  name: string;
  /**
   * Texts that it accepts, or the beginnings of such texts: the attack repeats parts in the middle of them.
   */
  samples: readonly string[];
  /** May throw: only the time counts. */
  parse(text: string): unknown;
}

/**
 * Returns the beginning of a text for which a parser takes more than linear time; null when none was found.
 */
export function attackParser({ samples, parse }: AttackedParser): string | null {
  // For this thread alone: others collect garbage and compile at arbitrary moments.
  const time = (text: string): number => {
    const started = process.threadCpuUsage();
    try {
      parse(text);
    } catch {
      // A rejected text has been read, too.
    }
    const { user, system } = process.threadCpuUsage(started);
    return (user + system) / 1000;
  };
  const best = (text: string, first = time(text)) => {
    let least = first;
    for (let again = 0; again < 4; again += 1) {
      if (least >= (again === 0 ? CERTAIN_MS : CERTAIN_TWICE_MS)) break;
      least = Math.min(least, time(text));
    }
    return least;
  };
  const grows = (write: (length: number) => string, length: number) => {
    const first = time(write(length));
    if (first <= SUSPICIOUS_MS) return false;
    const long = best(write(length), first);
    return long > SUSPICIOUS_MS && long > RATIO_MAX * Math.max(MEASURABLE_MS, best(write(length / GROWTH)));
  };
  for (const write of attacks(samples)) {
    if (LENGTHS.some((length) => grows(write, length))) return write(40);
  }
  return null;
}

/** Each sample with a part repeated at its beginning, in its middle or at its end. */
function* attacks(samples: readonly string[]): Generator<(length: number) => string> {
  const doubled = [...PARTS.map((part): [string, string] => [part, part]), ...PAIRS];
  for (const sample of ['', ...samples]) {
    const places = new Set([0, Math.floor(sample.length / 2), sample.length]);
    for (const place of places) {
      const [before, after] = [sample.slice(0, place), sample.slice(place)];
      for (const [first, second] of doubled) {
        yield (length) => {
          const half = length / 2;
          return before + first.repeat(half / first.length) + second.repeat(half / second.length) + after;
        };
      }
    }
  }
}
