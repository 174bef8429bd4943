import { NO_CAPTURES, PathCaptures } from './path-captures.ts';

/** A compiled path pattern of `_redirects` and `_headers`. */
export interface PathPattern {
  /** True without placeholder and splat: it matches exactly one path. */
  readonly isStatic: boolean;
  /** Names usable in a target: placeholders, and `splat`. */
  readonly names: readonly string[];
  /** The prefix of every path that it matches; a folder's splat also matches the folder without its slash. */
  readonly prefix: string;
  /** Returns the captures when the decoded path matches, otherwise null. Linear in the length of the path. */
  match(path: string): PathCaptures | null;
}

type Token = { readonly literal: string } | { readonly name: string };

const PLACEHOLDER_OR_SPLAT = /(?<=\/):([A-Za-z]\w*)(?=\/|$)|\*/g;

/** The most placeholders in one pattern: each costs a little for every path that is matched. */
const PLACEHOLDERS_MAX = 10;

/**
 * Returns the path without its trailing slash, except for the root: `/a` and `/a/` are one address for the
 * rules.
 */
export function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Why a text is not a valid pattern. */
export interface PatternProblem {
  readonly code: 'several_splats' | 'too_many_placeholders';
  readonly params?: Readonly<Record<string, number>>;
}

/** Returns the pattern of a stored rule, or null when it would no longer be accepted. */
export function compilePathPattern(text: string): PathPattern | null {
  const pattern = readPathPattern(text);
  return 'code' in pattern ? null : pattern;
}

/**
 * Parses a pattern, or returns why it is invalid: more than one `*`, or too many placeholders. `:name` stands
 * for one whole segment and `*` for any rest. With at most one splat, what precedes it is matched from the
 * left and what follows it from the right, so nothing ever backtracks.
 */
export function readPathPattern(text: string): PathPattern | PatternProblem {
  const before: Token[] = [];
  const after: Token[] = [];
  const names: string[] = [];
  let tokens = before;
  let hasSplat = false;
  let position = 0;
  for (const found of text.matchAll(PLACEHOLDER_OR_SPLAT)) {
    if (found.index > position) tokens.push({ literal: text.slice(position, found.index) });
    position = found.index + found[0].length;
    if (found[1] !== undefined) {
      tokens.push({ name: found[1] });
      names.push(found[1]);
    } else {
      if (hasSplat) return { code: 'several_splats' };
      hasSplat = true;
      tokens = after;
      names.push('splat');
    }
  }
  if (position < text.length) tokens.push({ literal: text.slice(position) });
  if (names.length > PLACEHOLDERS_MAX) {
    return { code: 'too_many_placeholders', params: { limit: PLACEHOLDERS_MAX } };
  }
  const [first] = before;
  const prefix = first !== undefined && 'literal' in first ? first.literal : '';

  if (hasSplat) {
    const isFolder = text.endsWith('/*');
    const leastPrefix = isFolder ? withoutFinalSlash(prefix) : prefix;
    const matchSplat = (path: string): PathCaptures | null => {
      const captures = new PathCaptures();
      const start = matchForward(before, path, captures);
      if (start < 0) return null;
      const end = matchBackward(after, path, start, captures);
      if (end < 0) return null;
      captures.set('splat', path.slice(start, end));
      return captures;
    };
    const match = (path: string) => {
      if (!path.startsWith(leastPrefix)) return null;
      return matchSplat(path) ?? (isFolder ? matchSplat(`${path}/`) : null);
    };
    return { isStatic: false, names, prefix, match };
  }
  if (names.length === 0) {
    const only = withoutTrailingSlash(text);
    return {
      isStatic: true,
      names,
      prefix,
      match: (path) => (withoutTrailingSlash(path) === only ? NO_CAPTURES : null),
    };
  }
  const last = before.at(-1);
  if (last !== undefined && 'literal' in last)
    before[before.length - 1] = { literal: withoutFinalSlash(last.literal) };
  const match = (path: string): PathCaptures | null => {
    if (!path.startsWith(prefix)) return null;
    const captures = new PathCaptures();
    const bare = withoutTrailingSlash(path);
    return matchForward(before, bare, captures) === bare.length ? captures : null;
  };
  return { isStatic: false, names, prefix, match };
}

function withoutFinalSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text;
}

/** Returns the position after the tokens matched from the start of the path, or -1. */
function matchForward(tokens: readonly Token[], path: string, captures: PathCaptures): number {
  let position = 0;
  for (const token of tokens) {
    if ('literal' in token) {
      if (!path.startsWith(token.literal, position)) return -1;
      position += token.literal.length;
    } else {
      const slash = path.indexOf('/', position);
      const end = slash < 0 ? path.length : slash;
      if (end === position) return -1;
      captures.set(token.name, path.slice(position, end));
      position = end;
    }
  }
  return position;
}

/** Returns the position before the tokens matched from the end of the path and not before `least`, or -1. */
function matchBackward(
  tokens: readonly Token[],
  path: string,
  least: number,
  captures: PathCaptures,
): number {
  let position = path.length;
  for (let index = tokens.length - 1; index >= 0; index -= 1) {
    const token = tokens[index];
    if (token === undefined) return -1;
    if ('literal' in token) {
      if (!path.endsWith(token.literal, position)) return -1;
      position -= token.literal.length;
    } else {
      const start = path.lastIndexOf('/', position - 1) + 1;
      if (start >= position) return -1;
      captures.set(token.name, path.slice(start, position));
      position = start;
    }
    if (position < least) return -1;
  }
  return position;
}
