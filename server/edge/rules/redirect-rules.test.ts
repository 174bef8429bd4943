import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PathCaptures } from './path-captures.ts';
import { compileRedirects, fillTarget, parseRedirects, redirectLocation } from './redirect-rules.ts';
import {
  DYNAMIC_RULES_MAX,
  RULE_FILE_BYTES_MAX,
  RULE_LINES_MAX,
  RULE_PROBLEM_MESSAGES,
  RULE_PROBLEMS_MAX,
  STATIC_RULES_MAX,
} from './rule-problem.ts';

function problemsOf(text: string): [number, string][] {
  return parseRedirects(text).problems.map(({ lineNumber, code }) => [lineNumber, code]);
}

function locationFor(text: string, path: string, query = ''): string | null {
  const { rules, problems } = parseRedirects(text);
  expect(problems).toEqual([]);
  const match = compileRedirects(rules)(path);
  return match === null ? null : redirectLocation(match, query);
}

/** More accents on one letter than any writing system has. */
const marks = '\u0315\u0316'.repeat(16);

describe('reading _redirects', () => {
  test('a line is from, to and status; 301 is the default, comments and empty lines are skipped', () => {
    const text = '\uFEFF# moved\r\n\r\n/old /new\r\n  /a\t/b  302 # for now\n/c /d.html 200!\n';
    expect(parseRedirects(text)).toEqual({
      rules: [
        { from: '/old', to: '/new', status: 301, forced: false, lineNumber: 3 },
        { from: '/a', to: '/b', status: 302, forced: false, lineNumber: 4 },
        { from: '/c', to: '/d.html', status: 200, forced: true, lineNumber: 5 },
      ],
      problems: [],
      problemCount: 0,
    });
  });

  test('the rules survive being stored as JSON', () => {
    const { rules } = parseRedirects('/blog/:year/* https://example.org/:year/:splat 308\n');
    expect(JSON.parse(JSON.stringify(rules))).toEqual(rules);
  });

  test.each([
    ['/a', 'target_missing'],
    ['a /b', 'from_not_path'],
    ['https://other.example/a /b', 'from_not_path'],
    ['//a /b', 'path_unsafe'],
    ['/a/../b /c', 'path_unsafe'],
    ['/a%00 /c', 'path_unsafe'],
    ['/a%2 /c', 'path_unsafe'],
    ['/a\\b /c', 'path_unsafe'],
    ['/a?x=1 /c', 'path_has_query'],
    ['/a id=:id /c', 'condition_unsupported'],
    ['/a /b 301 Country=ca', 'condition_unsupported'],
    ['/a /b 301 x', 'too_many_parts'],
    ['/a /b 418', 'status_unsupported'],
    ['/a /b permanent', 'status_unsupported'],
    ['/*/x/* /b', 'several_splats'],
    ['/a javascript:alert(1)', 'target_refused'],
    ['/a data:text/html,x', 'target_refused'],
    ['/a //evil.example', 'target_refused'],
    ['/a /\\evil.example', 'target_refused'],
    ['/a b', 'target_refused'],
    ['/a https://user:secret@example.org/', 'target_credentials'],
    ['/:host/* https://:host/:splat', 'placeholder_in_host'],
    ['/* https://example.org:splat/', 'placeholder_in_host'],
    ['/a /b/:id', 'placeholder_unknown'],
    ['/a /b/../../c', 'path_unsafe'],
    ['/a https://example.org/ 200', 'rewrite_outside_site'],
    ['/a/ /a', 'rule_loops'],
    [`/${'a'.repeat(2_000)} /b`, 'line_too_long'],
    [`/${':a/'.repeat(11)} /b`, 'too_many_placeholders'],
    [`/* /b${'/:splat'.repeat(200)}`, 'target_too_long'],
    [`/a /${'é'.repeat(1_500)}`, 'target_too_long'],
    [`/a${marks} /b`, 'path_unsafe'],
    [`/a${encodeURI(marks)} /b`, 'path_unsafe'],
    [`/a /b${encodeURI(marks)}`, 'path_unsafe'],
    [`/a https://b${marks}.example/`, 'target_refused'],
    [`/a https://b${encodeURI(marks.repeat(2))}.example/`, 'target_refused'],
  ])('the line %j is skipped: %s', (line, code) => {
    const { rules, problems } = parseRedirects(`/first /1\n${line}\n`);
    expect(rules).toHaveLength(1);
    expect(problems).toMatchObject([{ lineNumber: 2, code }]);
    expect(problems[0]?.message).not.toMatch(/\{\w+\}/);
  });

  test('a second rule for the same path is reported with the line that takes precedence', () => {
    expect(parseRedirects('/a /b\n/a/ /c\n').problems).toMatchObject([
      { lineNumber: 2, code: 'rule_shadowed', params: { earlier: 1 } },
    ]);
  });

  test('rules beyond the limits are skipped and reported', () => {
    const fixed = Array.from({ length: STATIC_RULES_MAX + 1 }, (_, at) => `/s${at} /x`);
    const dynamic = Array.from({ length: DYNAMIC_RULES_MAX + 1 }, (_, at) => `/d${at}/* /x`);
    const { rules, problems } = parseRedirects([...fixed, ...dynamic].join('\n'));
    expect(rules).toHaveLength(STATIC_RULES_MAX + DYNAMIC_RULES_MAX);
    expect(problems.map(({ code }) => code)).toEqual(['too_many_static_rules', 'too_many_dynamic_rules']);
  });

  test.each([
    ['\n', 'file_too_long', 1_000],
    ['\r\n', 'file_too_long', 1_000],
    ['\n', 'too_many_lines', 0],
  ])('parsing ends at the size limit of a file (%j, %s), and the report says where', (end, code, width) => {
    const count = width === 0 ? RULE_LINES_MAX : Math.floor(RULE_FILE_BYTES_MAX / (width + end.length));
    const lines = Array.from({ length: count + 1 }, (_, at) => `/a${at % 50} /b`.padEnd(width, ' #'));
    const { rules, problems } = parseRedirects(lines.join(end));
    expect(rules).toHaveLength(50);
    expect(problems.at(-1)).toMatchObject({ code, lineNumber: count + 1 });
  });

  test('a file of nonsense produces a short report', () => {
    expect(problemsOf('nonsense\n'.repeat(5_000))).toHaveLength(RULE_PROBLEMS_MAX);
  });

  test('any text is parsed without an exception, and every line is a rule, a problem or empty', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), redirectLine())), (lines) => {
        const { rules, problems } = parseRedirects(lines.join('\n'));
        for (const { code } of problems) expect(RULE_PROBLEM_MESSAGES).toHaveProperty([code]);
        for (const rule of rules) expect(rule.to).toMatch(/^(\/(?!\/)|https?:\/\/)/);
      }),
    );
  });
});

describe('following _redirects', () => {
  test('the first matching line applies, whether fixed or with a pattern', () => {
    expect(locationFor('/a/* /1\n/a/b /2', '/a/b')).toBe('/1');
    expect(locationFor('/a/b /2\n/a/* /1', '/a/b')).toBe('/2');
    expect(locationFor('/a/b /2\n/a/* /1', '/a/c')).toBe('/1');
    expect(locationFor('/a/b /2\n/a/* /1', '/b')).toBeNull();
  });

  test('a trailing slash makes no difference, and a folder splat matches the folder itself', () => {
    expect(locationFor('/a /b', '/a/')).toBe('/b');
    expect(locationFor('/a/ /b', '/a')).toBe('/b');
    expect(locationFor('/blog/* /news/:splat', '/blog')).toBe('/news/');
    expect(locationFor('/blog/* /news/:splat', '/blog/2024/x')).toBe('/news/2024/x');
    expect(locationFor('/blog/* /news/:splat', '/blogs')).toBeNull();
  });

  test('placeholders stand for one segment, before and after a splat', () => {
    const text = '/:lang/docs/*/edit/:id https://example.org/:lang/:id?at=:splat';
    expect(locationFor(text, '/fr/docs/a/b/edit/7')).toBe('https://example.org/fr/7?at=a/b');
    expect(locationFor(text, '/fr/x/docs/a/edit/7')).toBeNull();
    expect(locationFor('/u/:id /user/:id.html', '/u/1/2')).toBeNull();
    expect(locationFor('/u/:id /user/:id.html', '/u/é b')).toBe('/user/%C3%A9%20b.html');
  });

  test('the query of the request is kept, before a fragment and after a query of the target', () => {
    expect(locationFor('/a /b', '/a', '?x=1')).toBe('/b?x=1');
    expect(locationFor('/a /b?y=2#part', '/a', '?x=1')).toBe('/b?y=2&x=1#part');
    expect(locationFor('/a https://example.org', '/a', '?x=1')).toBe('https://example.org/?x=1');
  });

  test('whatever a path captures, the target keeps its host and stays one header line', () => {
    const [toSite] = parseRedirects('/*  /:splat').rules;
    const [abroad] = parseRedirects('/:a/* https://example.org/:a?b=:splat').rules;
    fc.assert(
      fc.property(fc.webPath(), fc.string({ unit: 'grapheme' }), (path, text) => {
        for (const splat of [path, text]) {
          for (const rule of [toSite, abroad]) {
            if (rule === undefined) throw new Error('a rule is missing');
            const captures = new PathCaptures();
            captures.set('splat', splat);
            captures.set('a', 'x');
            const target = fillTarget({ rule, captures }) ?? 'too long';
            expect(target).toMatch(/^[!-~]+$/);
            const { host } = new URL(target, 'http://site.example');
            expect(host).toBe(rule === toSite ? 'site.example' : 'example.org');
          }
        }
      }),
    );
  });

  test('an address that captured text makes too long for a head is skipped', () => {
    const [rule] = parseRedirects('/* /x/:splat/:splat/:splat 301\n').rules;
    if (rule === undefined) throw new Error('a rule is missing');
    const find = compileRedirects([rule, { ...rule, to: `/${':splat'.repeat(329)}` }]);
    const long = find(`/${'@'.repeat(1_500)}`);
    expect(long && fillTarget(long)).toBeNull();
    expect(locationFor('/* /x/:splat', `/${'a'.repeat(2_000)}`)).toHaveLength(2_003);
  });

  test('the worst pattern on the longest path is decided without backtracking', () => {
    const { rules } = parseRedirects('/*/a/:b/a/:c/a/:d/z /x');
    const find = compileRedirects(rules);
    // Exponential or cubic matching would not finish within the test's timeout.
    for (let round = 0; round < 200; round += 1) expect(find('/a'.repeat(2_000))).toBeNull();
  });
});

function redirectLine(): fc.Arbitrary<string> {
  const part = fc.constantFrom(
    '/a',
    '/*',
    '/:x',
    '/:x/*',
    '//',
    '/..',
    'https://e.org/:x',
    '200',
    '301!',
    '#',
    '\\',
    '%',
  );
  return fc.array(part, { maxLength: 5 }).map((parts) => parts.join(' '));
}
