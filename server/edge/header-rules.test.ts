import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileHeaders, parseHeaders } from './header-rules.ts';
import { ruleProblemCodes } from './rule-problem.ts';

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

  test('a refused header leaves the others of its path in force', () => {
    const { rules } = parseHeaders('/a\n  Set-Cookie: x\n  X-A: 1\n');
    expect(rules).toMatchObject([{ operations: [{ name: 'x-a', value: '1' }] }]);
  });

  test('any text is read without an exception, and no value can end its line', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('/a', '/*', 'X-A: 1', '! X-A', ':', 'Te: x', '\r'),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const { rules, problems } = parseHeaders(lines.join('\n'));
        for (const { code } of problems) expect(ruleProblemCodes).toContain(code);
        for (const { operations } of rules) {
          for (const { value } of operations) expect(value ?? 'removed').toMatch(/^[\t -~]+$/);
        }
      }),
    );
  });
});

describe('applying _headers', () => {
  test('matches are merged in order: values joined, defaults replaced, removals taken away', () => {
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

  test('a removal and a new value replace what a wider pattern said', () => {
    const text = '/*\n  Cache-Control: no-store\n/a\n  ! Cache-Control\n  Cache-Control: public\n';
    expect(headersFor(text, '/a')).toEqual({ 'cache-control': 'public' });
  });

  test('Vary is added to, never replaced', () => {
    expect(headersFor('/*\n  Vary: Origin\n', '/', { vary: 'Accept-Encoding' })).toEqual({
      vary: 'Accept-Encoding, Origin',
    });
  });

  test('what a path captures cannot leave its header', () => {
    const value = headersFor('/:x\n  X-Path: :x\n', '/a"; é')['x-path'];
    expect(value).toBe('a%22%3B%20%C3%A9');
  });
});
