import { headerBytes, RULE_HEAD_BYTES_MAX, withinHeadBounds } from './head-bounds.ts';
import { fillPlaceholders, NO_CAPTURES, type PathCaptures } from './path-captures.ts';
import {
  compilePathPattern,
  type PathPattern,
  readPathPattern,
  withoutTrailingSlash,
} from './path-pattern.ts';
import { isHeaderName, isHeaderValue, isRefusedHeader } from './refused-headers.ts';
import {
  createProblemList,
  DYNAMIC_RULES_MAX,
  type ParsedRules,
  RULE_LINE_CHARACTERS_MAX,
  type RuleLine,
  type RuleProblem,
  type RuleProblemCode,
  readRulePath,
  ruleLines,
  STATIC_RULES_MAX,
} from './rule-problem.ts';

/** One step of a rule: a header is set to a value, or (without value) removed. Names are lower case. */
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

type ParsedHeader =
  | HeaderOperation
  | { readonly code: RuleProblemCode; readonly params?: RuleProblem['params'] };

/** A line below a path, and its position. */
interface WrittenOperation extends HeaderOperation, RuleLine {}

interface WrittenBlock extends RuleLine {
  readonly path: string;
  readonly pattern: PathPattern;
  readonly operations: WrittenOperation[];
  failed: boolean;
}

/** Parses a `_headers` file: its rules in order, and every skipped line with the reason. Pure. */
export function parseHeaders(text: string): ParsedRules<HeaderRule> {
  const blocks: WrittenBlock[] = [];
  const { problems, count, add } = createProblemList();
  const counts = { fixed: 0, dynamic: 0 };
  let block: WrittenBlock | null = null;
  /** True below a path that was refused: its headers are skipped with it, without a problem each. */
  let isSkipping = false;
  const lines = ruleLines(text, ({ lineNumber, line }, code, params) => add(lineNumber, line, code, params));
  for (const { lineNumber, line } of lines) {
    if (line.length > RULE_LINE_CHARACTERS_MAX) {
      add(lineNumber, line, 'line_too_long', { limit: RULE_LINE_CHARACTERS_MAX });
      if (block !== null) block.failed = true;
    } else if (line.startsWith('/') || /^https?:\/\//i.test(line)) {
      const read = readBlockPath(line, counts);
      isSkipping = 'code' in read;
      block = null;
      if ('code' in read) add(lineNumber, line, read.code, read.params);
      else {
        block = { ...read, operations: [], lineNumber, line, failed: false };
        blocks.push(block);
      }
    } else if (block === null) {
      if (!isSkipping) add(lineNumber, line, 'header_before_path');
    } else {
      const parsed = parseHeader(line);
      if ('code' in parsed) {
        add(lineNumber, line, parsed.code, parsed.params);
        block.failed = true;
      } else block.operations.push({ ...parsed, lineNumber, line });
    }
  }
  for (const { operations, failed, lineNumber, line } of blocks) {
    if (operations.length === 0 && !failed) add(lineNumber, line, 'rule_without_headers');
  }
  const kept = withinHeadBounds(blocks, ({ lineNumber, line }, code, limit) =>
    add(lineNumber, line, code, { limit }),
  );
  const rules = blocks.map(({ path, lineNumber }, index) => ({
    pattern: path,
    operations: (kept[index] ?? []).map(({ name, value }) => ({ name, value })),
    lineNumber,
  }));
  return {
    rules: rules.filter(({ operations }) => operations.length > 0),
    problems: problems.sort((a, b) => a.lineNumber - b.lineNumber),
    problemCount: count(),
  };
}

/** How many blocks a file may have whose path is fixed, and how many whose path has placeholders. */
const BLOCKS_MAX = {
  fixed: { limit: STATIC_RULES_MAX, code: 'too_many_static_rules' },
  dynamic: { limit: DYNAMIC_RULES_MAX, code: 'too_many_dynamic_rules' },
} as const;

function readBlockPath(
  line: string,
  counts: { fixed: number; dynamic: number },
): { path: string; pattern: PathPattern } | { code: RuleProblemCode; params?: RuleProblem['params'] } {
  const read = readRulePath(line);
  if ('code' in read) return read;
  const pattern = readPathPattern(read.path);
  if ('code' in pattern) return pattern;
  const kind = pattern.isStatic ? 'fixed' : 'dynamic';
  const { limit, code } = BLOCKS_MAX[kind];
  if (counts[kind] >= limit) return { code, params: { limit } };
  counts[kind] += 1;
  return { path: read.path, pattern };
}

function parseHeader(line: string): ParsedHeader {
  const isRemoval = line.startsWith('!');
  const colon = line.indexOf(':');
  if (!isRemoval && colon < 1) return { code: 'header_syntax' };
  const writtenName = (isRemoval ? line.slice(1) : line.slice(0, colon)).trim();
  if (!isHeaderName(writtenName)) {
    return { code: 'header_name_invalid', params: { name: writtenName.slice(0, 50) } };
  }
  const name = writtenName.toLowerCase();
  if (isRefusedHeader(name) || (isRemoval && name === 'vary')) {
    return { code: 'header_refused', params: { name: writtenName } };
  }
  if (isRemoval) return { name, value: null };
  const value = line.slice(colon + 1).trim();
  if (!isHeaderValue(value)) return { code: 'header_value_invalid', params: { name: writtenName } };
  return { name, value };
}

/** Applies the rules for a decoded path to `headers` (lower-case name to value), changing it in place. */
export type HeaderApplier = (path: string, headers: Map<string, string>) => void;

interface CompiledBlock {
  readonly order: number;
  readonly pattern: PathPattern;
  readonly operations: readonly HeaderOperation[];
}

/**
 * Compiles rules into a function that applies them in order. A first value replaces the platform's default,
 * later values for the same name are joined with a comma, a removal removes both. `Vary` is only added to. No
 * refused header is set, whatever was stored, and what exceeds the size of a head is skipped. A fixed path
 * costs one lookup, the others at most 100 patterns.
 */
export function compileHeaders(rules: readonly HeaderRule[]): HeaderApplier {
  const fixed = new Map<string, CompiledBlock[]>();
  const dynamic: CompiledBlock[] = [];
  for (const block of compileBlocks(rules)) {
    if (!block.pattern.isStatic) dynamic.push(block);
    else {
      const key = withoutTrailingSlash(block.pattern.prefix);
      const others = fixed.get(key);
      if (others === undefined) fixed.set(key, [block]);
      else others.push(block);
    }
  }
  return (path, headers) => {
    const head = new RuleHead(headers);
    const own = fixed.get(withoutTrailingSlash(path)) ?? [];
    let next = 0;
    const applyOwn = (before: number) => {
      for (let block = own[next]; block !== undefined && block.order < before; block = own[next]) {
        next += 1;
        head.apply(block, NO_CAPTURES);
      }
    };
    for (const block of dynamic) {
      const captures = block.pattern.match(path);
      if (captures === null) continue;
      applyOwn(block.order);
      head.apply(block, captures);
    }
    applyOwn(Number.POSITIVE_INFINITY);
  };
}

function compileBlocks(rules: readonly HeaderRule[]): CompiledBlock[] {
  const usable: { pattern: PathPattern; operations: readonly HeaderOperation[] }[] = [];
  for (const rule of rules) {
    const pattern = compilePathPattern(rule.pattern);
    if (pattern !== null) usable.push({ pattern, operations: rule.operations.filter(isUsable) });
  }
  const kept = withinHeadBounds(usable);
  return usable.map(({ pattern }, order) => ({ order, pattern, operations: kept[order] ?? [] }));
}

function isUsable({ name, value }: HeaderOperation): boolean {
  if (!isHeaderName(name) || isRefusedHeader(name)) return false;
  return value === null ? name !== 'vary' : isHeaderValue(value);
}

/** A head to which rules are being applied. */
class RuleHead {
  private readonly headers: Map<string, string>;
  private readonly given = new Set(['vary']);
  private bytesLeft = RULE_HEAD_BYTES_MAX;

  constructor(headers: Map<string, string>) {
    this.headers = headers;
  }

  apply({ operations }: CompiledBlock, captures: PathCaptures): void {
    for (const { name, value } of operations) {
      if (value === null) {
        this.headers.delete(name);
        this.given.delete(name);
      } else {
        const filled = fillPlaceholders(value, captures, this.bytesLeft)?.trim();
        if (filled !== undefined && filled !== '') this.add(name, filled);
      }
    }
  }

  private add(name: string, value: string): void {
    const bytes = headerBytes(name, value);
    if (bytes > this.bytesLeft) return;
    this.bytesLeft -= bytes;
    const earlier = this.given.has(name) ? this.headers.get(name) : undefined;
    this.headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
    this.given.add(name);
  }
}
