import { isUnsafePath } from './unsafe-path.ts';

/** English sentences for problems in `_redirects` and `_headers`; `{name}` is filled from `params`. The keys are stable codes. */
const ruleProblemMessages = {
  line_too_long: 'The line is longer than {limit} characters.',
  target_missing: 'A redirect needs two parts: the path it applies to and where it leads.',
  too_many_parts: 'A redirect has at most three parts: from, to and status.',
  condition_unsupported: 'Conditions and query parameters are not supported: {part}',
  from_not_path: 'The first part must be a path that starts with a single “/”.',
  path_unsafe:
    'The path holds something no address can: “..”, “//”, a backslash, a control character or a broken “%”.',
  path_has_query: 'A path to match has no “?” and no “#”.',
  several_splats: 'Only one “*” is allowed.',
  target_refused: 'The target must be a path that starts with a single “/”, or an http(s) address.',
  target_credentials: 'The target must not hold a user name or a password.',
  placeholder_in_host:
    'The host of a target must be fixed: placeholders are allowed in its path and query only.',
  placeholder_unknown: 'The target uses :{name}, which the first part does not define.',
  rewrite_outside_site: 'Status {status} serves a file of this site, so the target must be a path.',
  status_unsupported: 'The status must be 200, 301, 302, 303, 307, 308 or 404, with an optional “!”: {part}',
  rule_loops: 'The redirect leads to itself.',
  rule_shadowed: 'Line {earlier} already decides this path.',
  too_many_static_rules: 'There are more than {limit} rules for fixed paths; the rest is ignored.',
  too_many_dynamic_rules: 'There are more than {limit} rules with “*” or “:name”; the rest is ignored.',
  header_before_path: 'A header must stand below the path it applies to.',
  header_syntax: 'A header is written “Name: value”, or “! Name” to remove one.',
  header_name_invalid: '“{name}” is not a header name.',
  header_value_invalid: 'The value of {name} holds characters that a header cannot carry.',
  header_refused: '{name} is set by the platform and cannot be changed.',
  rule_without_headers: 'No header stands below this path.',
} as const;

export type RuleProblemCode = keyof typeof ruleProblemMessages;

/** All codes a problem can carry, for exhaustive translations. */
export const ruleProblemCodes = Object.keys(ruleProblemMessages) as readonly RuleProblemCode[];

/** One line of a rule file that was left out, with the reason. */
export interface RuleProblem {
  readonly line: string;
  /** Counted from 1. */
  readonly lineNumber: number;
  readonly code: RuleProblemCode;
  readonly params: Readonly<Record<string, string | number>>;
  /** English; translate by `code` and `params`. */
  readonly message: string;
}

/** A file full of nonsense must not make a report of the same size. */
export const ruleProblemsMax = 100;
export const ruleLineCharactersMax = 2_000;
export const staticRulesMax = 2_000;
export const dynamicRulesMax = 100;

/** Collects problems up to `ruleProblemsMax`. */
export function createProblemList() {
  const problems: RuleProblem[] = [];
  return {
    problems,
    add(lineNumber: number, line: string, code: RuleProblemCode, params: RuleProblem['params'] = {}): void {
      if (problems.length >= ruleProblemsMax) return;
      const message = ruleProblemMessages[code].replace(/\{(\w+)\}/g, (_, name: string) =>
        String(params[name] ?? ''),
      );
      problems.push({ line: line.slice(0, 200), lineNumber, code, params, message });
    },
  };
}

/** The lines of a rule file with their numbers, without comments and empty lines; a byte order mark is dropped. */
export function* ruleLines(text: string): Generator<{ lineNumber: number; line: string }> {
  let lineNumber = 0;
  for (const raw of text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)) {
    lineNumber += 1;
    const line = raw.trim();
    if (line !== '' && !line.startsWith('#')) yield { lineNumber, line };
  }
}

/** The decoded NFC form of a path written in a rule file, or the code of what is wrong with it. */
export function readRulePath(text: string): { path: string } | { code: RuleProblemCode } {
  if (!text.startsWith('/')) return { code: 'from_not_path' };
  if (/[?#]/.test(text)) return { code: 'path_has_query' };
  let path: string;
  try {
    path = decodeURIComponent(text).normalize('NFC');
  } catch {
    return { code: 'path_unsafe' };
  }
  return isUnsafePath(path) ? { code: 'path_unsafe' } : { path };
}
