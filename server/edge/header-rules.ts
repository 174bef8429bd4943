import { compilePathPattern, type PathCaptures, type PathPattern } from './path-pattern.ts';
import {
  createProblemList,
  dynamicRulesMax,
  type RuleProblem,
  type RuleProblemCode,
  readRulePath,
  ruleLineCharactersMax,
  ruleLines,
  staticRulesMax,
} from './rule-problem.ts';

/** One step of a rule: a value given to a header, or (without value) the header taken away. Names are lower case. */
export interface HeaderOperation {
  readonly name: string;
  readonly value: string | null;
}

/** One block of `_headers`; plain data, stored with the version at seal time. */
export interface HeaderRule {
  /** Decoded path pattern, with a leading slash. */
  readonly pattern: string;
  readonly operations: readonly HeaderOperation[];
  readonly lineNumber: number;
}

/** Headers that frame the message, belong to the connection, or tell caches what the bytes are: the edge alone knows them. */
const refusedNames = new Set([
  'accept-ranges',
  'age',
  'alt-svc',
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'date',
  'etag',
  'expect',
  'host',
  'keep-alive',
  'last-modified',
  'location',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'server',
  'set-cookie',
  'set-cookie2',
  'status',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);

type ParsedHeader =
  | HeaderOperation
  | { readonly code: RuleProblemCode; readonly params?: RuleProblem['params'] };

/** The rules of a `_headers` file, in order, and every line that was left out with its reason. Pure. */
export function parseHeaders(text: string): { rules: HeaderRule[]; problems: RuleProblem[] } {
  const blocks: {
    pattern: string;
    operations: HeaderOperation[];
    lineNumber: number;
    line: string;
    failed: boolean;
  }[] = [];
  const { problems, add } = createProblemList();
  const counts = { fixed: 0, dynamic: 0 };
  let block: (typeof blocks)[number] | null = null;
  /** True below a path that was refused: its headers are dropped with it, without a problem each. */
  let isSkipping = false;
  for (const { lineNumber, line } of ruleLines(text)) {
    if (line.length > ruleLineCharactersMax) {
      add(lineNumber, line, 'line_too_long', { limit: ruleLineCharactersMax });
      if (block !== null) block.failed = true;
    } else if (line.startsWith('/') || /^https?:\/\//i.test(line)) {
      const code = problemOfPath(line, counts);
      isSkipping = code !== null;
      block = null;
      if (code !== null) {
        add(lineNumber, line, code.code, code.params);
      } else {
        const path = readRulePath(line);
        if ('path' in path) {
          block = { pattern: path.path, operations: [], lineNumber, line, failed: false };
          blocks.push(block);
        }
      }
    } else if (block === null) {
      if (!isSkipping) add(lineNumber, line, 'header_before_path');
    } else {
      const parsed = parseHeader(line);
      if ('code' in parsed) {
        add(lineNumber, line, parsed.code, parsed.params);
        block.failed = true;
      } else block.operations.push(parsed);
    }
  }
  for (const { operations, failed, lineNumber, line } of blocks) {
    if (operations.length === 0 && !failed) add(lineNumber, line, 'rule_without_headers');
  }
  const rules = blocks
    .filter(({ operations }) => operations.length > 0)
    .map(({ pattern, operations, lineNumber }) => ({ pattern, operations, lineNumber }));
  return { rules, problems: problems.sort((a, b) => a.lineNumber - b.lineNumber) };
}

function problemOfPath(
  line: string,
  counts: { fixed: number; dynamic: number },
): { code: RuleProblemCode; params?: RuleProblem['params'] } | null {
  const path = readRulePath(line);
  if ('code' in path) return path;
  const pattern = compilePathPattern(path.path);
  if (pattern === null) return { code: 'several_splats' };
  counts[pattern.isStatic ? 'fixed' : 'dynamic'] += 1;
  if (counts.fixed > staticRulesMax)
    return { code: 'too_many_static_rules', params: { limit: staticRulesMax } };
  if (counts.dynamic > dynamicRulesMax)
    return { code: 'too_many_dynamic_rules', params: { limit: dynamicRulesMax } };
  return null;
}

function parseHeader(line: string): ParsedHeader {
  const isRemoval = line.startsWith('!');
  const colon = line.indexOf(':');
  if (!isRemoval && colon < 1) return { code: 'header_syntax' };
  const writtenName = (isRemoval ? line.slice(1) : line.slice(0, colon)).trim();
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(writtenName)) {
    return { code: 'header_name_invalid', params: { name: writtenName.slice(0, 50) } };
  }
  const name = writtenName.toLowerCase();
  if (refusedNames.has(name) || (isRemoval && name === 'vary')) {
    return { code: 'header_refused', params: { name: writtenName } };
  }
  if (isRemoval) return { name, value: null };
  const value = line.slice(colon + 1).trim();
  if (value === '' || !/^[\t\x20-\x7e]*$/.test(value))
    return { code: 'header_value_invalid', params: { name: writtenName } };
  return { name, value };
}

/** Adds what the rules say for a decoded path to `headers` (lower-case name to value), changing it in place. */
export type HeaderApplier = (path: string, headers: Map<string, string>) => void;

/**
 * A function that applies rules in order. A first value replaces the platform's default, later values for the same name are joined
 * with a comma, a removal takes away both. `Vary` is only ever added to.
 */
export function compileHeaders(rules: readonly HeaderRule[]): HeaderApplier {
  const compiled: { pattern: PathPattern; operations: readonly HeaderOperation[] }[] = [];
  for (const rule of rules) {
    const pattern = compilePathPattern(rule.pattern);
    if (pattern !== null) compiled.push({ pattern, operations: rule.operations });
  }
  return (path, headers) => {
    const given = new Set<string>(['vary']);
    for (const { pattern, operations } of compiled) {
      const captures = pattern.match(path);
      if (captures === null) continue;
      for (const { name, value } of operations) {
        if (value === null) {
          headers.delete(name);
          given.delete(name);
        } else {
          const filled = pattern.isStatic ? value : fillValue(value, captures);
          const earlier = given.has(name) ? headers.get(name) : undefined;
          headers.set(name, earlier === undefined ? filled : `${earlier}, ${filled}`);
          given.add(name);
        }
      }
    }
  };
}

function fillValue(value: string, captures: PathCaptures): string {
  return value.replace(/:([A-Za-z]\w*)/g, (whole, name: string) => {
    const captured = captures[name];
    return captured === undefined ? whole : captured.split('/').map(encodeURIComponent).join('/');
  });
}
