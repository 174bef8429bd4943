import { hasControlCharacter, isUnsafePath } from '../fields/unsafe-path.ts';
import { expectedLength, fillPlaceholders, NO_CAPTURES, type PathCaptures } from './path-captures.ts';
import {
  compilePathPattern,
  type PathPattern,
  readPathPattern,
  withoutTrailingSlash,
} from './path-pattern.ts';
import {
  createProblemList,
  DYNAMIC_RULES_MAX,
  type ParsedRules,
  RULE_LINE_CHARACTERS_MAX,
  type RuleProblem,
  type RuleProblemCode,
  readRulePath,
  ruleLines,
  STATIC_RULES_MAX,
} from './rule-problem.ts';
import { hasStackedMarks } from './stacked-marks.ts';

const REDIRECT_STATUSES = [200, 301, 302, 303, 307, 308, 404] as const;
export type RedirectStatus = (typeof REDIRECT_STATUSES)[number];

/** One line of `_redirects`; plain data, stored with the version at seal time. */
export interface RedirectRule {
  /** Decoded path pattern, with a leading slash. */
  readonly from: string;
  /** An encoded path of the site or an absolute http(s) address, with `:name` and `:splat` not yet filled. */
  readonly to: string;
  readonly status: RedirectStatus;
  /** Applies even when a file exists at the path. */
  readonly forced: boolean;
  readonly lineNumber: number;
}

type ParsedLine = RedirectRule | { readonly code: RuleProblemCode; readonly params?: RuleProblem['params'] };

/**
 * The longest filled target; with the query of the request appended, the address still fits the buffers of
 * usual proxies and clients.
 */
const TARGET_CHARACTERS_MAX = 8 * 1024;

/** The longest host in the DNS, with its port, even when partly percent-encoded. */
const AUTHORITY_CHARACTERS_MAX = 300;

/** Parses a `_redirects` file: its rules in order, and every skipped line with the reason. Pure. */
export function parseRedirects(text: string): ParsedRules<RedirectRule> {
  const rules: RedirectRule[] = [];
  const { problems, count, add } = createProblemList();
  const staticLines = new Map<string, number>();
  let dynamicCount = 0;
  const lines = ruleLines(text, ({ lineNumber, line }, code, params) => add(lineNumber, line, code, params));
  for (const { lineNumber, line } of lines) {
    const parsed = parseLine(line, lineNumber);
    if ('code' in parsed) {
      add(lineNumber, line, parsed.code, parsed.params);
      continue;
    }
    if (compilePathPattern(parsed.from)?.isStatic) {
      const key = withoutTrailingSlash(parsed.from);
      const earlier = staticLines.get(key);
      if (earlier !== undefined) add(lineNumber, line, 'rule_shadowed', { earlier });
      else if (staticLines.size >= STATIC_RULES_MAX)
        add(lineNumber, line, 'too_many_static_rules', { limit: STATIC_RULES_MAX });
      else {
        staticLines.set(key, lineNumber);
        rules.push(parsed);
      }
    } else if (dynamicCount >= DYNAMIC_RULES_MAX) {
      add(lineNumber, line, 'too_many_dynamic_rules', { limit: DYNAMIC_RULES_MAX });
    } else {
      dynamicCount += 1;
      rules.push(parsed);
    }
  }
  return { rules, problems, problemCount: count() };
}

function parseLine(line: string, lineNumber: number): ParsedLine {
  if (line.length > RULE_LINE_CHARACTERS_MAX)
    return { code: 'line_too_long', params: { limit: RULE_LINE_CHARACTERS_MAX } };
  const parts = line.split(/\s+/);
  const comment = parts.findIndex((part) => part.startsWith('#'));
  if (comment >= 0) parts.length = comment;
  const [source, target, statusPart = '301'] = parts;
  if (source === undefined || target === undefined) return { code: 'target_missing' };
  const condition = parts.slice(1).find((part) => /^[A-Za-z]\w*=/.test(part));
  if (condition !== undefined)
    return { code: 'condition_unsupported', params: { part: condition.slice(0, 50) } };
  if (parts.length > 3) return { code: 'too_many_parts' };

  const statusMatch = /^(\d{3})(!?)$/.exec(statusPart);
  const status = REDIRECT_STATUSES.find((known) => String(known) === statusMatch?.[1]);
  if (status === undefined) return { code: 'status_unsupported', params: { part: statusPart.slice(0, 50) } };

  const from = readRulePath(source);
  if ('code' in from) return from;
  const pattern = readPathPattern(from.path);
  if ('code' in pattern) return pattern;

  const to = readTarget(target, pattern, status);
  if ('code' in to) return to;
  const isRedirect = status !== 200 && status !== 404;
  if (isRedirect && pattern.isStatic && pathOf(to.target) === withoutTrailingSlash(from.path))
    return { code: 'rule_loops' };
  return { from: from.path, to: to.target, status, forced: statusMatch?.[2] === '!', lineNumber };
}

function readTarget(
  target: string,
  pattern: PathPattern,
  status: RedirectStatus,
): { target: string } | { code: RuleProblemCode; params?: RuleProblem['params'] } {
  if (target.includes('\\') || hasControlCharacter(target) || hasStackedMarks(target))
    return { code: 'target_refused' };
  const isPath = target.startsWith('/') && !target.startsWith('//');
  const authority = /^https?:\/\/([^/?#]+)/i.exec(target)?.[1];
  if (!isPath && authority === undefined) return { code: 'target_refused' };
  if (!isPath && (status === 200 || status === 404))
    return { code: 'rewrite_outside_site', params: { status } };
  if (authority !== undefined && authority.length > AUTHORITY_CHARACTERS_MAX)
    return { code: 'target_refused' };
  if (authority?.includes('@')) return { code: 'target_credentials' };
  if (authority !== undefined && /:[A-Za-z]/.test(authority)) return { code: 'placeholder_in_host' };
  for (const [, name = ''] of target.matchAll(/(?<=\/):([A-Za-z]\w*)(?=[/?#]|$)/g)) {
    if (!pattern.names.includes(name)) return { code: 'placeholder_unknown', params: { name } };
  }
  if (isPath) {
    try {
      const decoded = decodeURIComponent(target.replace(/[?#].*$/s, ''));
      if (isUnsafePath(decoded) || hasStackedMarks(decoded)) return { code: 'path_unsafe' };
    } catch {
      return { code: 'path_unsafe' };
    }
  }
  const url = URL.parse(target, 'http://site.invalid');
  if (url === null) return { code: 'target_refused' };
  const written = isPath ? url.pathname + url.search + url.hash : url.href;
  if (expectedLength(written, pattern.names) > TARGET_CHARACTERS_MAX)
    return { code: 'target_too_long', params: { limit: TARGET_CHARACTERS_MAX } };
  return { target: written };
}

/**
 * Returns the decoded path of a target on this site, without trailing slash; null for an absolute address.
 */
function pathOf(target: string): string | null {
  if (!target.startsWith('/')) return null;
  return withoutTrailingSlash(decodeURIComponent(target.replace(/[?#].*$/s, '')).normalize('NFC'));
}

/** The rule that applies to a path, with its captures. */
export interface RedirectMatch {
  readonly rule: RedirectRule;
  readonly captures: PathCaptures;
}

export type RedirectMatcher = (path: string) => RedirectMatch | null;

/**
 * Compiles rules into a function that finds the first match: one lookup for fixed paths, at most 100 patterns
 * for the others.
 */
export function compileRedirects(rules: readonly RedirectRule[]): RedirectMatcher {
  const fixed = new Map<string, { order: number; rule: RedirectRule }>();
  const dynamic: { order: number; rule: RedirectRule; pattern: PathPattern }[] = [];
  for (const [order, rule] of rules.entries()) {
    const pattern = compilePathPattern(rule.from);
    if (pattern === null) continue;
    const key = withoutTrailingSlash(rule.from);
    if (!pattern.isStatic) dynamic.push({ order, rule, pattern });
    else if (!fixed.has(key)) fixed.set(key, { order, rule });
  }
  return (path) => {
    const candidate = fixed.get(withoutTrailingSlash(path));
    for (const { order, rule, pattern } of dynamic) {
      if (candidate !== undefined && candidate.order < order) break;
      const captures = pattern.match(path);
      if (captures !== null) return { rule, captures };
    }
    return candidate === undefined ? null : { rule: candidate.rule, captures: NO_CAPTURES };
  };
}

/**
 * Returns the target with its placeholders filled, percent-encoded, so that no captured text can end a header
 * or change the host; null when it becomes too long for a head.
 */
export function fillTarget({ rule, captures }: RedirectMatch): string | null {
  const filled = fillPlaceholders(rule.to, captures, TARGET_CHARACTERS_MAX);
  return filled?.startsWith('/') ? filled.replace(/^\/{2,}/, '/') : filled;
}

/**
 * Returns the address a redirect leads to: the filled target, with the query of the request appended; null
 * when there is none.
 */
export function redirectLocation(match: RedirectMatch, query: string): string | null {
  const target = fillTarget(match);
  if (target === null || query.length <= 1) return target;
  const hash = target.indexOf('#');
  const base = hash < 0 ? target : target.slice(0, hash);
  const fragment = hash < 0 ? '' : target.slice(hash);
  return `${base}${base.includes('?') ? '&' : '?'}${query.slice(1)}${fragment}`;
}
