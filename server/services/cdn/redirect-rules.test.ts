import { describe, expect, it } from 'vitest';
import { type RedirectProblem, readRedirectTarget } from './redirect-rules.ts';

describe('readRedirectTarget', () => {
  it.each([
    ['https://www.example.ca', 'https://www.example.ca', 'www.example.ca'],
    [' HTTPS://WWW.Example.CA/ ', 'https://www.example.ca', 'www.example.ca'],
    ['http://example.ca.:80/a b?c=d', 'http://example.ca/a%20b?c=d', 'example.ca'],
    ['https://québec.example.ca/é', 'https://xn--qubec-csa.example.ca/%C3%A9', 'xn--qubec-csa.example.ca'],
    ['https://example.ca:8443/docs/', 'https://example.ca:8443/docs/', 'example.ca'],
    ['http://blog.sites.localhost:8080', 'http://blog.sites.localhost:8080', 'blog.sites.localhost'],
    ['\ufeffhttps://example.ca/docs\u200b', 'https://example.ca/docs', 'example.ca'],
    // As browsers interpret it: everything after the backslash is a path.
    ['https://example.ca\\@other.example', 'https://example.ca/@other.example', 'example.ca'],
  ])('normalizes %j', (typed, target, host) => {
    expect(readRedirectTarget(typed)).toEqual({ target, host, problem: null });
  });

  it.each<[RedirectProblem, string[]]>([
    [
      'relative',
      [
        '',
        '/blog',
        'www.example.ca',
        '//www.example.ca',
        'javascript:alert(1)',
        'data:text/html,x',
        'https:x.ca',
      ],
    ],
    [
      'host',
      ['https://', 'https://exa mple.ca', 'https://intranet', 'https://x_y.example.ca', 'https://a.onion/'],
    ],
    ['address', ['https://192.0.2.1/', 'http://2130706433/', 'https://[2001:db8::1]/']],
    ['credentials', ['https://me@example.ca/', 'https://www.example.ca:secret@evil.example/']],
    ['long', [`https://example.ca/${'a'.repeat(2048)}`, `https://example.ca/${'é'.repeat(400)}`]],
  ])('says that the problem is %s', (problem, typed) => {
    for (const text of typed) {
      expect([text, readRedirectTarget(text)]).toEqual([text, { target: null, host: null, problem }]);
    }
  });
});
