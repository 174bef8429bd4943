import { foldSiteName } from '#server/services/sites/rules.ts';

/** What an entry is found by: its own words first, then synonyms. */
export interface Findable {
  label: string;
  detail?: string;
  keywords?: string;
}

/** Shorter words are different words when a letter differs. */
const TYPO_WORD_MIN = 4;
const LONG_WORD_MIN = 7;
const ABBREVIATION_MIN = 3;
/** From this score on an entry has what was typed; below, it has something similar. */
const CLOSE_MIN = 50;

/**
 * Returns the entries that match the query, the best first: each word of the query is a word of the entry,
 * the beginning or a part of one, a synonym, an abbreviation (`crd` for credentials) or a word with a typo.
 * Without a query, returns all entries in their order.
 */
export function rankEntries<Entry extends Findable>(query: string, entries: readonly Entry[]): Entry[] {
  const words = wordsOf(query);
  if (words.length === 0) return query.trim() === '' ? [...entries] : [];
  return entries
    .map((entry) => ({ entry, score: scoreEntry(words, entry) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

/** Whether an entry that matches the query has what was typed, rather than something similar. */
export function isCloseMatch(query: string, entry: Findable): boolean {
  return wordsOf(query).every((word) => scoreEntry([word], entry) >= CLOSE_MIN);
}

function wordsOf(text: string): string[] {
  return foldSiteName(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/**
 * Returns 0 when a word of the query is not in the entry, otherwise the average of how well each of them
 * fits.
 */
function scoreEntry(words: readonly string[], { label, detail = '', keywords = '' }: Findable): number {
  const own = wordsOf(label);
  const others = wordsOf(`${detail} ${keywords}`);
  const initials = own.map((word) => word[0]).join('');
  let sum = 0;
  for (const word of words) {
    const score = Math.max(
      ...own.map((target) => scoreWord(word, target)),
      // Any match in the name is worth more than a synonym.
      ...others.map((target) => scoreWord(word, target) * 0.6),
      word.length > 1 && initials.startsWith(word) ? 50 : 0,
    );
    if (score === 0) return 0;
    sum += score;
  }
  // A shorter name is closer to what was typed.
  return sum / words.length - Math.min(own.length, 9) / 10;
}

function scoreWord(word: string, target: string): number {
  if (target === word) return 100;
  if (target.startsWith(word)) return 90;
  if (target.includes(word)) return 70;
  if (word.length >= ABBREVIATION_MIN && isAbbreviation(word, target)) return 40;
  if (word.length >= TYPO_WORD_MIN && hasSlip(word, target)) return 30;
  return 0;
}

/** Whether the word is the first letter of the target and some of its others, in order. */
function isAbbreviation(word: string, target: string): boolean {
  if (word[0] !== target[0]) return false;
  let at = 0;
  for (const letter of target) if (letter === word[at]) at += 1;
  return at === word.length;
}

/**
 * Whether the target, or as much of it as was typed, differs by one typo, or by two in a long word. Another number is another thing.
 */
function hasSlip(word: string, target: string): boolean {
  if (/\d/.test(word)) return false;
  const slips = word.length >= LONG_WORD_MIN ? 2 : 1;
  if (Math.abs(target.length - word.length) <= slips && distanceOf(word, target) <= slips) return true;
  return target.length > word.length && distanceOf(word, target.slice(0, word.length)) <= slips;
}

/** Returns how many letters are missing, extra, wrong or swapped with the next one. */
function distanceOf(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1);
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[other.length] ?? 0;
}
