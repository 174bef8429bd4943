/** The values of `:name` placeholders and of the splat (`splat`) that a pattern captured in a path. */
export class PathCaptures {
  private readonly values = new Map<string, string>();
  private readonly encodedValues = new Map<string, string>();

  get size(): number {
    return this.values.size;
  }

  /** Stores a decoded value. */
  set(name: string, value: string): void {
    this.values.set(name, value);
  }

  /**
   * Returns the value percent-encoded, with its slashes; undefined for a name that the pattern does not have.
   */
  encoded(name: string): string | undefined {
    const known = this.encodedValues.get(name);
    if (known !== undefined) return known;
    const value = this.values.get(name);
    if (value === undefined) return undefined;
    // An encoded percent sign is "%25", so "%2F" is always a slash.
    const encoded = encodeURIComponent(value).replaceAll('%2F', '/');
    this.encodedValues.set(name, encoded);
    return encoded;
  }
}

export const NO_CAPTURES = new PathCaptures();

const PLACEHOLDER = /:([A-Za-z]\w*)/g;

/**
 * Returns the text with its placeholders filled, percent-encoded, or null when it would be longer than
 * `charactersMax`.
 */
export function fillPlaceholders(text: string, captures: PathCaptures, charactersMax: number): string | null {
  if (captures.size === 0) return text.length > charactersMax ? null : text;
  let filled = '';
  let position = 0;
  for (const found of text.matchAll(PLACEHOLDER)) {
    const value = captures.encoded(found[1] ?? '');
    if (value === undefined) continue;
    filled += text.slice(position, found.index) + value;
    if (filled.length > charactersMax) return null;
    position = found.index + found[0].length;
  }
  filled += text.slice(position);
  return filled.length > charactersMax ? null : filled;
}

/**
 * The assumed length of a placeholder when a rule is parsed: the paths that it will match are not known yet.
 */
const PLACEHOLDER_CHARACTERS = 100;

/** Returns roughly how long a text becomes when its placeholders are filled. */
export function expectedLength(text: string, names: readonly string[]): number {
  if (names.length === 0) return text.length;
  let length = text.length;
  for (const [, name = ''] of text.matchAll(PLACEHOLDER)) {
    if (names.includes(name)) length += PLACEHOLDER_CHARACTERS;
  }
  return length;
}
