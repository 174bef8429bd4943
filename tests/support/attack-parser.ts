/** Characters of the attacks. What grows fast shows itself at the first, and would take minutes at the second. */
const LENGTHS = [4_000, 32_000];
/** Only what takes this long is looked at again, beside an attack that is so many times shorter. */
const SUSPICIOUS_MS = 12;
const CERTAIN_MS = 1_000;
const GROWTH = 8;
/** Less is below what the system measures, which may say 0. A parser that grows takes a hundred times as long. */
const MEASURABLE_MS = 1;
/** Eight times the text: a linear parser takes eight times as long, a quadratic one 64 times. */
const RATIO_MAX = 24;

/** What separates, nests, escapes or combines in the texts that we read. */
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
/** Normalising sorts marks by their class, which takes the square of their number where two classes meet. */
const PAIRS: [string, string][] = [
  ['\u0315', '\u0316'],
  ['%CC%95', '%CC%96'],
  ['\uff9e', '\u0334'],
  ['\r\n', ' '],
  ['a', ','],
];

/** A parser, as it is attacked. */
export interface AttackedParser {
  name: string;
  /** Texts that it takes, or the beginning of which it takes: the attack repeats parts in the middle of them. */
  samples: readonly string[];
  /** It may throw: the time counts. */
  parse(text: string): unknown;
}

/** The beginning of a text that a parser takes more than linear time for; null when none was found. */
export function attackParser({ samples, parse }: AttackedParser): string | null {
  // Of this thread alone: others collect garbage and compile, at moments of their own.
  const time = (text: string): number => {
    const started = process.threadCpuUsage();
    try {
      parse(text);
    } catch {
      // What is refused has been read.
    }
    const { user, system } = process.threadCpuUsage(started);
    return (user + system) / 1000;
  };
  // What takes seconds is no accident of one run, and is not repeated.
  const best = (text: string, first = time(text)) => {
    let least = first;
    for (let again = 0; again < 4 && least < CERTAIN_MS; again += 1) least = Math.min(least, time(text));
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

/** Each sample with a part said again and again at its beginning, in its middle or at its end. */
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
