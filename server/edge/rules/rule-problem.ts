import { isUnsafePath } from '../fields/unsafe-path.ts';
import { hasStackedMarks } from './stacked-marks.ts';

/**
 * English messages for problems in `_redirects` and `_headers`; `{name}` is filled from `params`. The keys
 * are stable codes.
 */
export const RULE_PROBLEM_MESSAGES = {
  file_too_long: 'The file is longer than {limit} bytes; this line and the rest are ignored.',
  too_many_lines: 'The file has more than {limit} lines with rules; this line and the rest are ignored.',
  line_too_long: 'The line is longer than {limit} characters.',
  target_missing: 'A redirect needs two parts: the path it applies to and its target.',
  too_many_parts: 'A redirect has at most three parts: from, to and status.',
  condition_unsupported: 'Conditions and query parameters are not supported: {part}',
  from_not_path: 'The first part must be a path that starts with a single “/”.',
  path_unsafe:
    'The path contains something that is not allowed in an address: “..”, “//”, a backslash, a control character or a malformed “%”.',
  path_has_query: 'A path to match cannot contain “?” or “#”.',
  several_splats: 'Only one “*” is allowed.',
  too_many_placeholders: 'The path contains more than {limit} placeholders.',
  target_refused: 'The target must be a path that starts with a single “/”, or an http(s) address.',
  target_credentials: 'The target must not contain a user name or a password.',
  target_too_long: 'Once filled in, the target is longer than {limit} characters.',
  placeholder_in_host:
    'The host of a target must be fixed: placeholders are allowed only in its path and query.',
  placeholder_unknown: 'The target uses :{name}, which the first part does not define.',
  rewrite_outside_site: 'Status {status} serves a file of this site, so the target must be a path.',
  status_unsupported: 'The status must be 200, 301, 302, 303, 307, 308 or 404, with an optional “!”: {part}',
  rule_loops: 'The redirect points to itself.',
  rule_shadowed: 'Line {earlier} already applies to this path.',
  too_many_static_rules: 'There are more than {limit} rules for fixed paths; the rest is ignored.',
  too_many_dynamic_rules: 'There are more than {limit} rules with “*” or “:name”; the rest is ignored.',
  header_before_path: 'A header must come below the path it applies to.',
  header_syntax: 'A header is written “Name: value”, or “! Name” to remove one.',
  header_name_invalid: '“{name}” is not a header name.',
  header_value_invalid: 'The value of {name} contains characters that are not allowed in a header.',
  header_refused: '{name} is set by the platform and cannot be changed.',
  too_many_headers:
    'For some paths of this rule, more than {limit} lines apply at once; this one is ignored.',
  headers_too_long:
    'For some paths of this rule, the headers are longer than {limit} bytes in total; this one is ignored.',
  rule_without_headers: 'There is no header below this path.',
} as const;

export type RuleProblemCode = keyof typeof RULE_PROBLEM_MESSAGES;

/** One skipped line of a rule file, with the reason. */
export interface RuleProblem {
  readonly line: string;
  /** Counted from 1. */
  readonly lineNumber: number;
  readonly code: RuleProblemCode;
  readonly params: Readonly<Record<string, string | number>>;
  /** English; translate by `code` and `params`. */
  readonly message: string;
}

/** The content of a rule file. */
export interface ParsedRules<Rule> {
  readonly rules: Rule[];
  /** The skipped lines, at most {@link RULE_PROBLEMS_MAX} of them, and where parsing ended. */
  readonly problems: RuleProblem[];
  /** The number of all of them. */
  readonly problemCount: number;
}

/** A file full of nonsense must not produce a report of the same size: about 50 KB for both files. */
export const RULE_PROBLEMS_MAX = 50;
const PROBLEM_LINE_CHARACTERS_MAX = 120;
const PROBLEM_PART_CHARACTERS_MAX = 50;
export const RULE_LINE_CHARACTERS_MAX = 2_000;
export const STATIC_RULES_MAX = 2_000;
export const DYNAMIC_RULES_MAX = 100;
/** Several times what the rules above need; parsing it takes a few milliseconds. */
export const RULE_FILE_BYTES_MAX = 512 * 1024;
export const RULE_LINES_MAX = 10_000;

/** Reported even when a report is full: these concern everything that follows. */
const ENDS_OF_READING: ReadonlySet<RuleProblemCode> = new Set(['file_too_long', 'too_many_lines']);

/** Collects problems up to `RULE_PROBLEMS_MAX`, and where parsing ended; counts all of them. */
export function createProblemList() {
  const problems: RuleProblem[] = [];
  let count = 0;
  return {
    problems,
    count: () => count,
    add(lineNumber: number, line: string, code: RuleProblemCode, given: RuleProblem['params'] = {}): void {
      count += 1;
      if (problems.length >= RULE_PROBLEMS_MAX && !ENDS_OF_READING.has(code)) return;
      const params = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, cut(value)]));
      const message = RULE_PROBLEM_MESSAGES[code].replace(/\{(\w+)\}/g, (_, name: string) =>
        String(params[name] ?? ''),
      );
      problems.push({ line: line.slice(0, PROBLEM_LINE_CHARACTERS_MAX), lineNumber, code, params, message });
    },
  };
}

/** Shortens a part of a line for a problem's message. */
function cut(value: string | number): string | number {
  return typeof value === 'string' ? value.slice(0, PROBLEM_PART_CHARACTERS_MAX) : value;
}

/** One line of a rule file with content. */
export interface RuleLine {
  /** Counted from 1. */
  readonly lineNumber: number;
  readonly line: string;
}

const LINE_END = /\r\n|\n|\r/g;
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * The lines of a rule file with their numbers, without comments and empty lines; a byte order mark is
 * dropped. Parsing ends at the size limits of a file: `onEnd` is called with the first ignored line.
 */
export function* ruleLines(
  text: string,
  onEnd: (ignored: RuleLine, code: RuleProblemCode, params: RuleProblem['params']) => void,
): Generator<RuleLine> {
  let lineNumber = 0;
  let count = 0;
  let position = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  let bytes = 0;
  while (position < text.length) {
    LINE_END.lastIndex = position;
    const found = LINE_END.exec(text);
    const line = text.slice(position, found?.index ?? text.length).trim();
    const next = found === null ? text.length : LINE_END.lastIndex;
    bytes += Buffer.byteLength(text.slice(position, next));
    position = next;
    lineNumber += 1;
    if (bytes > RULE_FILE_BYTES_MAX) {
      onEnd({ lineNumber, line }, 'file_too_long', { limit: RULE_FILE_BYTES_MAX });
      return;
    }
    if (line === '' || line.startsWith('#')) continue;
    count += 1;
    if (count > RULE_LINES_MAX) {
      onEnd({ lineNumber, line }, 'too_many_lines', { limit: RULE_LINES_MAX });
      return;
    }
    yield { lineNumber, line };
  }
}

/** Returns the decoded NFC form of a path in a rule file, or the code of its problem. */
export function readRulePath(text: string): { path: string } | { code: RuleProblemCode } {
  if (!text.startsWith('/')) return { code: 'from_not_path' };
  if (/[?#]/.test(text)) return { code: 'path_has_query' };
  let path: string;
  try {
    path = decodeURIComponent(text);
  } catch {
    return { code: 'path_unsafe' };
  }
  if (hasStackedMarks(path)) return { code: 'path_unsafe' };
  path = path.normalize('NFC');
  return isUnsafePath(path) ? { code: 'path_unsafe' } : { path };
}
