import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { joinRedirect } from './endpoint-redirect.ts';

describe('the address that a redirect endpoint redirects to', () => {
  test.each([
    ['https://to.example', '/', 'https://to.example/'],
    ['https://to.example', '/?a=b', 'https://to.example/?a=b'],
    ['https://to.example/', '/a/b', 'https://to.example/a/b'],
    ['https://to.example/base', '/', 'https://to.example/base'],
    ['https://to.example/base/', '/a?b=c', 'https://to.example/base/a?b=c'],
    ['https://to.example/base?x=1', '/a?b=c', 'https://to.example/base/a?x=1&b=c'],
    ['https://to.example/#top', '/a?', 'https://to.example/a#top'],
    ['http://to.example:8080/base', '/a', 'http://to.example:8080/base/a'],
    ['https://me:secret@to.example/base', '/a', 'https://to.example/base/a'],
    ['https://to.example', '/a%2Fb//c', 'https://to.example/a%2Fb//c'],
  ])('for %s and %s is %s', (target, asked, location) => {
    expect(joinRedirect(target, asked, 'from.example')).toBe(location);
  });

  test.each([
    ['no path', 'https://to.example', 'a'],
    ['another address', 'https://to.example', 'https://evil.example/'],
    ['a line break', 'https://to.example', '/a\r\nSet-Cookie: a=b'],
    ['a fragment', 'https://to.example', '/a#b'],
    ['characters beyond ASCII', 'https://to.example', '/é'],
    ['a target that is no address', 'to.example', '/'],
    ['a target of another kind', 'javascript:alert(1)', '/'],
    ['a target that leads back', 'https://from.example/x', '/'],
  ])('is none for %s', (_, target, asked) => {
    expect(joinRedirect(target, asked, 'from.example')).toBeNull();
  });

  test('stays on the host and below the path of the target, for any request', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      '@',
      ':',
      '//evil.example',
      '?',
      '&',
      '%0d%0a',
      '%2f',
      'a',
      ';',
      '#',
    );
    const asked = fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 10 });
    let joined = 0;
    fc.assert(
      fc.property(asked, (pieces) => {
        const location = joinRedirect('https://to.example:8443/base', `/${pieces.join('')}`, 'from.example');
        if (location === null) return;
        joined += 1;
        expect(location.startsWith('https://to.example:8443/base')).toBe(true);
        expect(new URL(location).host).toBe('to.example:8443');
        expect(location).toMatch(/^[!-~]+$/);
      }),
      { numRuns: 2_000 },
    );
    expect(joined).toBeGreaterThan(100);
  });
});
