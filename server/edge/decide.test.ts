import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, type Intent, type SiteRules } from './decide.ts';
import { contentTypeOf } from './fields/content-type.ts';
import { Manifest } from './manifest.ts';
import type { EdgeFile } from './ports.ts';
import { compileRedirects, parseRedirects } from './rules/redirect-rules.ts';

function siteOf(paths: readonly string[], redirects = '', spaFallback = false): SiteRules {
  const files = new Map<string, EdgeFile>();
  for (const path of paths) {
    const contentType = contentTypeOf(path);
    files.set(path, { sha256: path, size: 1, contentType, brotliSize: null, gzipSize: null });
  }
  const { rules, problems } = parseRedirects(redirects);
  expect(problems).toEqual([]);
  return { files: Manifest.of(files), findRedirect: compileRedirects(rules), spaFallback };
}

/** `200 file`, `404 page` or `404`, `308 location`, or the kind. */
function summary(intent: Intent): string {
  if (intent.kind === 'file') return `200 ${intent.found.path}`;
  if (intent.kind === 'missing') return `404${intent.page === null ? '' : ` ${intent.page.path}`}`;
  return intent.kind === 'redirect' ? `${intent.status} ${intent.location}` : intent.kind;
}

function ask(target: string, site: SiteRules): string {
  return summary(decide(target, site));
}

describe('clean addresses', () => {
  const site = siteOf([
    'index.html',
    'a.html',
    'b/index.html',
    'c.html',
    'c/index.html',
    'd',
    'd.html',
    'e.css',
    'f/g.html',
  ]);

  test.each([
    ['/', '200 index.html'],
    ['/index.html', '308 /'],
    ['/index', '308 /'],
    ['/a', '200 a.html'],
    ['/a.html', '308 /a'],
    ['/a/', '308 /a'],
    ['/a/index', '308 /a'],
    ['/a/index.html', '308 /a'],
    ['/a.html/', '308 /a'],
    ['/b', '308 /b/'],
    ['/b/', '200 b/index.html'],
    ['/b.html', '308 /b/'],
    ['/b/index', '308 /b/'],
    ['/b/index.html', '308 /b/'],
    ['/c', '200 c.html'],
    ['/c/', '200 c/index.html'],
    ['/c.html', '308 /c'],
    ['/c/index.html', '308 /c/'],
    ['/d', '200 d'],
    ['/d.html', '200 d.html'],
    ['/e.css', '200 e.css'],
    ['/e.css/', '404'],
    ['/e', '404'],
    ['/f/g', '200 f/g.html'],
    ['/f/', '404'],
    ['/f', '404'],
    ['/A', '404'],
  ])('%s leads to %s', (target, expected) => {
    expect(ask(target, site)).toBe(expected);
  });

  test('a redirect to the canonical address keeps the query', () => {
    expect(ask('/a.html?x=1&y', site)).toBe('308 /a?x=1&y');
  });

  test('names with spaces and non-ASCII letters are found by their encoded address', () => {
    const named = siteOf(['été à la mer.html', 'a+b&c.txt', 'what?.txt']);
    expect(ask('/%C3%A9t%C3%A9%20%C3%A0%20la%20mer', named)).toBe('200 été à la mer.html');
    // The same name in decomposed form, as some systems send it.
    expect(ask('/e%CC%81te%CC%81%20a%CC%80%20la%20mer', named)).toBe('200 été à la mer.html');
    expect(ask('/%C3%A9t%C3%A9%20%C3%A0%20la%20mer.html', named)).toBe(
      '308 /%C3%A9t%C3%A9%20%C3%A0%20la%20mer',
    );
    expect(ask('/a+b&c.txt', named)).toBe('200 a+b&c.txt');
    expect(ask('/what%3F.txt?x', named)).toBe('200 what?.txt');
  });
});

describe('missing files', () => {
  const pages = siteOf(['index.html', '404.html', 'docs/404.html', 'docs/v1/a.html', 'app/index.html']);

  test.each([
    ['/x', '404 404.html'],
    ['/x/y/z.png', '404 404.html'],
    ['/docs/x', '404 docs/404.html'],
    ['/docs/v1/x/y', '404 docs/404.html'],
    ['/docsx', '404 404.html'],
  ])('%s gets the nearest page up the tree: %s', (target, expected) => {
    expect(ask(target, pages)).toBe(expected);
  });

  test('without its own page, the site answers with ours', () => {
    expect(ask('/x', siteOf(['index.html']))).toBe('404');
  });

  test('the rule files are parsed and never served', () => {
    const site = siteOf(['_redirects', '_headers', 'a/_headers', 'index.html']);
    expect(ask('/_redirects', site)).toBe('404');
    expect(ask('/_headers', site)).toBe('404');
    expect(ask('/a/_headers', site)).toBe('200 a/_headers');
    expect(ask('/x', siteOf(['_headers'], '/x /_headers 200'))).toBe('404');
  });

  test('the single-page fallback is a choice and never answers for a file', () => {
    const spa = siteOf(['index.html'], '', true);
    expect(ask('/users/7', spa)).toBe('200 index.html');
    expect(ask('/users/7', siteOf(['index.html']))).toBe('404');
    expect(ask('/app.js', spa)).toBe('404');
    expect(ask('/users/7.json', spa)).toBe('404');
    expect(ask('/users/jean.html', spa)).toBe('404');
  });

  test('only a missing fingerprinted name may be searched for in earlier versions', () => {
    expect(decide('/assets/app.3f9a1c2b.js', pages)).toMatchObject({
      skewPath: 'assets/app.3f9a1c2b.js',
    });
    expect(decide('/assets/app.js', pages)).toMatchObject({ skewPath: null });
  });
});

describe('rules of _redirects', () => {
  test('a file takes precedence over a rule unless the rule is forced', () => {
    const site = siteOf(['a.html', 'b.html', 'c.html'], '/a /x 302\n/b /y 302!\n/d /z 307\n');
    expect(ask('/a', site)).toBe('200 a.html');
    expect(ask('/b', site)).toBe('302 /y');
    expect(ask('/d?q=1', site)).toBe('307 /z?q=1');
  });

  test('200 serves another file of the site, 404 answers as if it were gone', () => {
    const site = siteOf(
      ['index.html', 'shop/item.html', 'gone.html'],
      '/i/:id /shop/item 200\n/old/* /gone 404\n',
    );
    expect(ask('/i/7', site)).toBe('200 shop/item.html');
    expect(ask('/old/x', site)).toBe('404 gone.html');
  });

  test('a rewrite to a file that does not exist is a plain 404', () => {
    expect(ask('/a', siteOf(['index.html'], '/a /nowhere 200'))).toBe('404');
  });

  test('a catch-all rewrite to a page answers for pages and never for a missing asset', () => {
    const site = siteOf(['index.html', 'sw.js'], '/* /index.html 200\n/feed.xml /index.html 200');
    expect(ask('/users/7', site)).toBe('200 index.html');
    expect(ask('/users/jean.html', site)).toBe('200 index.html');
    expect(ask('/assets/app.3f9a1c2b.js', site)).toBe('404');
    expect(ask('/logo.png', site)).toBe('404');
    expect(ask('/sw.js', site)).toBe('200 sw.js');
  });

  test('a redirect that would lead to itself is skipped', () => {
    const site = siteOf([], '/* /x 302');
    expect(ask('/a', site)).toBe('302 /x');
    expect(ask('/x', site)).toBe('404');
    expect(ask('/x?y=1', site)).toBe('404');
  });
});

describe('bad requests', () => {
  const site = siteOf(['index.html', 'a/b.txt']);

  test.each([
    '/../etc/passwd',
    '/a/../b.txt',
    '/a/./b.txt',
    '/%2e%2e/etc/passwd',
    '/a/%2E%2E/%2e%2e/x',
    '/a%2fb.txt',
    '/a%5cb.txt',
    '/a\\b.txt',
    '/a//b.txt',
    '//evil.example/x',
    '/a%00.txt',
    '/a%0d%0aSet-Cookie:x',
    '/%',
    '/%c0%ae%c0%ae/',
    '/%ff',
    '/a#b',
    'a/b.txt',
    '*',
    '',
    `/${'a'.repeat(5_000)}`,
  ])('%s is refused', (target) => {
    expect(ask(target, site)).toBe('bad-request');
  });
});

describe('for any target and any manifest', () => {
  const segment = fc.constantFrom(
    'a',
    'b',
    'index',
    'index.html',
    'a.html',
    '404.html',
    '_headers',
    'x.js',
    '..',
    '.',
    '',
    'é',
  );
  const manifest = fc
    .array(
      fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
      { maxLength: 8 },
    )
    .map((paths) => paths.filter((path) => !/(^|\/)(\.{0,2})(\/|$)/.test(path)));
  const piece = fc.oneof(
    segment,
    fc.constantFrom('%2e%2e', '%2f', '%5c', '%00', '%c3%a9', '?x', '#', '\\', '%', 'b/'),
    fc.string(),
  );
  const target = fc.array(piece, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`);

  test('only files of the manifest are found, and the rule files never', () => {
    fc.assert(
      fc.property(manifest, target, fc.boolean(), (paths, asked, spa) => {
        const site = siteOf(paths, '/a/* /b/:splat 200\n/b/:x /a/:x 302!\n', spa);
        const intent = decide(asked, site);
        if (intent.kind === 'file') {
          expect(paths).toContain(intent.found.path);
          expect(intent.found.path).not.toBe('_headers');
        }
        if (intent.kind === 'missing' && intent.page !== null) expect(paths).toContain(intent.page.path);
        if (intent.kind === 'redirect') expect(intent.location).toMatch(/^\/(?!\/)[!-~]*$/);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a canonical redirect leads to a file in one step', () => {
    // Other forms of the addresses of files.
    const form = fc.constantFrom('', '/', '.html', '/index.html', '/index');
    let redirects = 0;
    fc.assert(
      fc.property(manifest, fc.nat({ max: 7 }), form, form, (paths, at, stored, asked) => {
        const name = paths[at % paths.length] ?? 'page';
        const site = siteOf([...paths, ...(stored === '/' ? [] : [`${name}${stored}`])]);
        const intent = decide(`/${encodeURI(name)}${asked}`, site);
        if (intent.kind !== 'redirect') return;
        redirects += 1;
        expect(intent.status).toBe(308);
        expect(decide(intent.location, site).kind).toBe('file');
      }),
      { numRuns: 2_000 },
    );
    expect(redirects).toBeGreaterThan(100);
  });
});
