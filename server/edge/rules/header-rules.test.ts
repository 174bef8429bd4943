import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RULE_HEAD_BYTES_MAX, RULE_OPERATIONS_MAX } from './head-bounds.ts';
import { compileHeaders, parseHeaders } from './header-rules.ts';
import {
  DYNAMIC_RULES_MAX,
  RULE_FILE_BYTES_MAX,
  RULE_PROBLEM_MESSAGES,
  STATIC_RULES_MAX,
} from './rule-problem.ts';

const example = `# Site-wide
/*
  X-Frame-Options: DENY
  Cache-Control: no-store
/assets/*
  ! X-Frame-Options
  Cache-Control: public, max-age=60
  X-Part: one
/assets/:name
  X-Part: two
  Link: <https://example.org/:name>; rel=canonical
`;

function headersFor(text: string, path: string, start: Record<string, string> = {}): Record<string, string> {
  const { rules, problems } = parseHeaders(text);
  expect(problems).toEqual([]);
  const headers = new Map(Object.entries(start));
  compileHeaders(rules)(path, headers);
  return Object.fromEntries(headers);
}

describe('reading _headers', () => {
  test('a path is followed by its headers, and the rules survive being stored as JSON', () => {
    const { rules, problems } = parseHeaders(example);
    expect(problems).toEqual([]);
    expect(rules.map(({ pattern, lineNumber }) => [pattern, lineNumber])).toEqual([
      ['/*', 2],
      ['/assets/*', 5],
      ['/assets/:name', 9],
    ]);
    expect(rules[1]?.operations[0]).toEqual({ name: 'x-frame-options', value: null });
    expect(JSON.parse(JSON.stringify(rules))).toEqual(rules);
  });

  test.each([
    ['X-A: 1', 1, 'header_before_path'],
    ['/a\n  nonsense', 2, 'header_syntax'],
    ['/a\n  X Y: 1', 2, 'header_name_invalid'],
    ['/a\n  !', 2, 'header_name_invalid'],
    ['/a\n  X-A:', 2, 'header_value_invalid'],
    ['/a\n  X-A: caf\u00e9', 2, 'header_value_invalid'],
    ['/a\n  X-A: a\u0000b', 2, 'header_value_invalid'],
    ['/a\n  Set-Cookie: a=b; Domain=example.org', 2, 'header_refused'],
    ['/a\n  Content-Length: 3', 2, 'header_refused'],
    ['/a\n  transfer-encoding: chunked', 2, 'header_refused'],
    ['/a\n  Connection: close', 2, 'header_refused'],
    ['/a\n  Host: x', 2, 'header_refused'],
    ['/a\n  Date: x', 2, 'header_refused'],
    ['/a\n  ! ETag', 2, 'header_refused'],
    ['/a\n  :status: 500', 2, 'header_syntax'],
    ['/a\n  ! :status', 2, 'header_name_invalid'],
    ['/a\n  ! Vary', 2, 'header_refused'],
    ['/*/x/*\n  X-A: 1', 1, 'several_splats'],
    ['/a/../b\n  X-A: 1', 1, 'path_unsafe'],
    ['https://example.org/a\n  X-A: 1', 1, 'from_not_path'],
    ['/a\n\n/b\n  X-A: 1', 1, 'rule_without_headers'],
    [`/a\n  X-A: ${'x'.repeat(2_000)}`, 2, 'line_too_long'],
  ])('%j is reported once, with its line', (text, lineNumber, code) => {
    const { problems } = parseHeaders(text);
    expect(problems).toMatchObject([{ lineNumber, code }]);
    expect(problems[0]?.message).not.toMatch(/\{\w+\}/);
  });

  test.each([
    ...[
      'Connection',
      'Keep-Alive',
      'Proxy-Connection',
      'Transfer-Encoding',
      'Upgrade',
      'HTTP2-Settings',
      'TE',
    ],
    ...['Trailer', 'Content-Length', 'Content-Encoding', 'Date', 'Server', 'Set-Cookie', 'Location', 'Via'],
    ...['X-Accel-Redirect', 'x-accel-buffering', 'X_Accel_Redirect', 'X-Sendfile', 'X-SENDFILE-TEMPORARY'],
    ...['X-LIGHTTPD-send-file', 'Surrogate-Control', 'Surrogate-Key', 'X-LiteSpeed-Location', 'LSC-Cookie'],
    ...['X-Reproxy-URL', 'Proxy-Authenticate', 'Proxy-Status'],
  ])('%s is refused with its line, and ignored where an older version still has it', (name) => {
    expect(parseHeaders(`/*\n  ${name}: x\n  X-A: 1\n`).problems).toMatchObject([
      { lineNumber: 2, code: 'header_refused' },
    ]);
    const operations = [
      { name: name.toLowerCase(), value: 'x' },
      { name: 'x-a', value: '1' },
    ];
    const headers = new Map<string, string>();
    compileHeaders([{ pattern: '/*', operations, lineNumber: 1 }])('/a', headers);
    expect([...headers]).toEqual([['x-a', '1']]);
  });

  test.each(['a\r\nX-B: 1', 'a\u0000', '\u00e9', ' a', 'a ', ''])(
    'the value %j of an older version is ignored',
    (value) => {
      const headers = new Map<string, string>();
      const rule = { pattern: '/*', operations: [{ name: 'x-a', value }], lineNumber: 1 };
      compileHeaders([rule])('/a', headers);
      expect(headers.size).toBe(0);
    },
  );

  test('a refused header leaves the others of its path in effect', () => {
    const { rules } = parseHeaders('/a\n  Set-Cookie: x\n  X-A: 1\n');
    expect(rules).toMatchObject([{ operations: [{ name: 'x-a', value: '1' }] }]);
  });

  test('any text is parsed without an exception, and no value can end its line', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('/a', '/*', 'X-A: 1', '! X-A', ':', 'Te: x', '\r'),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const { rules, problems } = parseHeaders(lines.join('\n'));
        for (const { code } of problems) expect(RULE_PROBLEM_MESSAGES).toHaveProperty([code]);
        for (const { operations } of rules) {
          for (const { value } of operations) expect(value ?? 'removed').toMatch(/^[\t -~]+$/);
        }
      }),
    );
  });
});

describe('applying _headers', () => {
  test('matches are merged in order: values joined, defaults replaced, removals applied', () => {
    const start = { 'cache-control': 'default', 'content-type': 'text/css' };
    expect(headersFor(example, '/', start)).toEqual({
      'cache-control': 'no-store',
      'content-type': 'text/css',
      'x-frame-options': 'DENY',
    });
    expect(headersFor(example, '/assets/app.css', start)).toEqual({
      'cache-control': 'no-store, public, max-age=60',
      'content-type': 'text/css',
      'x-part': 'one, two',
      link: '<https://example.org/app.css>; rel=canonical',
    });
  });

  test('a removal and a new value replace the value of a wider pattern', () => {
    const text = '/*\n  Cache-Control: no-store\n/a\n  ! Cache-Control\n  Cache-Control: public\n';
    expect(headersFor(text, '/a')).toEqual({ 'cache-control': 'public' });
  });

  test('Vary is added to, never replaced', () => {
    expect(headersFor('/*\n  Vary: Origin\n', '/', { vary: 'Accept-Encoding' })).toEqual({
      vary: 'Accept-Encoding, Origin',
    });
  });

  test('rules for one path are found directly and keep their order among the others', () => {
    const text = '/a/\n  X-A: 1\n/*\n  X-A: 2\n/a\n  X-A: 3\n/:x\n  X-A: 4\n/a/\n  X-A: 5\n/b\n  X-A: 6\n';
    expect(headersFor(text, '/a')).toEqual({ 'x-a': '1, 2, 3, 4, 5' });
    expect(headersFor(text, '/b/')).toEqual({ 'x-a': '2, 4, 6' });
    expect(headersFor(text, '/')).toEqual({ 'x-a': '2' });
  });

  test('a placeholder may have any name', () => {
    const text = '/:constructor/:toString\n  X-A: :constructor-:toString-:hasOwnProperty\n';
    expect(headersFor(text, '/a/b')).toEqual({ 'x-a': 'a-b-:hasOwnProperty' });
    expect(headersFor('/:x\n  X-A: :constructor :x\n', '/a')).toEqual({ 'x-a': ':constructor a' });
  });

  test('an empty capture leaves no trailing space and no empty header', () => {
    expect(headersFor('/*\n  X-A: at :splat\n  X-B: :splat\n', '/')).toEqual({ 'x-a': 'at' });
  });

  test('a path’s captures cannot escape their header', () => {
    const value = headersFor('/:x\n  X-Path: :x\n', '/a"; é')['x-path'];
    expect(value).toBe('a%22%3B%20%C3%A9');
  });
});

describe('the head of one path', () => {
  const long = 'x'.repeat(1_900);

  function sizeOf(headers: ReadonlyMap<string, string>): number {
    return [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  }

  test.each([
    ['one block', (line: string) => `/*\n${line.repeat(4_200)}`],
    ['blocks for the same path', (line: string) => `/a\n${line}`.repeat(1_900)],
    ['patterns that overlap', (line: string) => `/*\n${line}/:x\n${line}/a*\n${line}`.repeat(33)],
  ])('stays small whatever the rules say: %s', (_, write) => {
    for (const value of [long, '1', ':splat'.repeat(10)]) {
      const { rules, problems } = parseHeaders(write(`  X-A: ${value}\n`).slice(0, RULE_FILE_BYTES_MAX));
      if (value !== '1') expect(problems.length).toBeGreaterThan(0);
      for (const { code } of problems) {
        expect(['headers_too_long', 'too_many_headers', 'too_many_static_rules']).toContain(code);
      }
      const applied = rules.reduce((sum, { operations }) => sum + operations.length, 0);
      expect(applied).toBeLessThanOrEqual(RULE_OPERATIONS_MAX);
      const headers = new Map<string, string>();
      compileHeaders(rules)('/a', headers);
      expect(sizeOf(headers)).toBeLessThanOrEqual(RULE_HEAD_BYTES_MAX);
    }
  });

  test('paths that share no rules share no limit', () => {
    const blocks = Array.from(
      { length: 90 },
      (_, at) => `/p${at}/*\n  X-A: ${long}\n/f${at}\n  X-A: ${long}\n`,
    );
    expect(parseHeaders(`/*\n  X-B: ${long}\n${blocks.join('')}`).problems).toEqual([]);
  });

  test('the rules of an older version stay within it too, for any path', () => {
    const operations = Array.from({ length: 4_200 }, (_, at) => ({
      name: `x-${at}`,
      value: at % 2 === 0 ? long : ':splat'.repeat(329),
    }));
    const apply = compileHeaders([
      { pattern: '/*', operations, lineNumber: 1 },
      { pattern: '/*', operations: [{ name: 'x-b', value: ':splat'.repeat(20) }], lineNumber: 2 },
    ]);
    for (const path of ['/', '/a', `/${'@'.repeat(400)}`, `/${'é/'.repeat(1_000)}`]) {
      const headers = new Map<string, string>();
      apply(path, headers);
      expect(headers.size).toBeLessThanOrEqual(RULE_OPERATIONS_MAX);
      expect(sizeOf(headers)).toBeLessThanOrEqual(RULE_HEAD_BYTES_MAX);
    }
  });

  test('no combination of patterns that match a path together exceeds the limit', () => {
    const segment = fc.constantFrom('a', 'b', ':x', ':y');
    const pattern = fc
      .tuple(fc.array(segment, { maxLength: 3 }), fc.constantFrom('', '/', '/*', '*', '/*/a'))
      .map(([segments, end]) => `/${segments.join('/')}${end}`.replace('//', '/'));
    const block = fc.record({
      pattern,
      count: fc.integer({ min: 1, max: 40 }),
      value: fc.constantFrom('1', long),
    });
    const path = fc
      .array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 })
      .map((parts) => `/${parts.join('/')}`);
    fc.assert(
      fc.property(fc.array(block, { maxLength: 12 }), path, (blocks, asked) => {
        const text = blocks.map(
          ({ pattern, count, value }) => `${pattern}\n${`X-A: ${value}\n`.repeat(count)}`,
        );
        const { rules } = parseHeaders(text.join(''));
        const matched = rules.filter((rule) => {
          const found = new Map<string, string>();
          compileHeaders([rule])(asked, found);
          return found.size > 0;
        });
        const operations = matched.flatMap((rule) => rule.operations);
        expect(operations.length).toBeLessThanOrEqual(RULE_OPERATIONS_MAX);
        const bytes = operations.reduce(
          (sum, { name, value }) => sum + name.length + (value?.length ?? 0) + 4,
          0,
        );
        expect(bytes).toBeLessThanOrEqual(RULE_HEAD_BYTES_MAX);
      }),
    );
  });
});

test('as many paths apply as are allowed of each kind, and the first one too many is reported', () => {
  const block = (path: string) => `${path}\n  X-A: b\n`;
  const fixed = Array.from({ length: STATIC_RULES_MAX + 1 }, (_, at) => block(`/f${at}`));
  const dynamic = Array.from({ length: DYNAMIC_RULES_MAX + 1 }, (_, at) => block(`/d${at}/*`));
  const { rules, problems } = parseHeaders([...fixed, ...dynamic].join(''));
  expect(rules).toHaveLength(STATIC_RULES_MAX + DYNAMIC_RULES_MAX);
  expect(problems.map(({ code }) => code)).toEqual(['too_many_static_rules', 'too_many_dynamic_rules']);
});
