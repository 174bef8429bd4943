import { ENVIRONMENT_NAMES } from './config.ts';

/** A variable that looks like one of our settings and is not. */
export interface UnknownSetting {
  name: string;
  /** The setting with the most similar name. */
  closest: string;
}

/** Prefixes that only our settings have. */
const PREFIXES =
  /^(ACME|BILLING|CNAME|CODE_HOST|CONSOLE|DEPLOY|DNS|EDGE|LIMIT|OBJECT_STORE|OIDC|S3|SITES|STRIPE|TAX)_/;
/** A name that differs from one of ours in at most this many letters counts as a typo. */
const SLIPS_MAX = 2;
/** Every short name is similar to some setting. */
const NAME_LETTERS_MIN = 6;
const NAME_LETTERS_MAX = 60;

/** Returns variables that were set for this program and that it does not know, by name. */
export function findUnknownSettings(environment: Record<string, string | undefined>): UnknownSetting[] {
  const known = new Set(ENVIRONMENT_NAMES);
  const unknown: UnknownSetting[] = [];
  for (const name of Object.keys(environment).sort()) {
    if (known.has(name) || name.length < NAME_LETTERS_MIN || name.length > NAME_LETTERS_MAX) continue;
    const isOurs = PREFIXES.test(name);
    // Most variables of an environment are not ours; comparing each with every setting to the end would be a noticeable part of the start.
    const isNear = (other: string) => Math.abs(other.length - name.length) <= SLIPS_MAX;
    const candidates = isOurs ? ENVIRONMENT_NAMES : ENVIRONMENT_NAMES.filter(isNear);
    const [first] = candidates
      .map((other) => ({
        other,
        slips: countSlips(name, other, isOurs ? Number.POSITIVE_INFINITY : SLIPS_MAX),
      }))
      .sort((one, next) => one.slips - next.slips);
    if (first !== undefined && (isOurs || first.slips <= SLIPS_MAX))
      unknown.push({ name, closest: first.other });
  }
  return unknown;
}

/**
 * Letters to insert, leave out, replace or swap with their neighbour until two names are the same (Damerau
 * and Levenshtein); more than `most` is only known to be more.
 */
function countSlips(one: string, other: string, most: number): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= one.length; row += 1) {
    const before = rows[row - 1] ?? [];
    const costs = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      let cost = Math.min(
        (before[column] ?? 0) + 1,
        (costs[column - 1] ?? 0) + 1,
        (before[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwapped = row > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (isSwapped) cost = Math.min(cost, (rows[row - 2]?.[column - 2] ?? 0) + 1);
      costs.push(cost);
    }
    if (Math.min(...costs) > most && Math.min(...before) > most) return most + 1;
    rows.push(costs);
  }
  return rows[one.length]?.[other.length] ?? 0;
}
