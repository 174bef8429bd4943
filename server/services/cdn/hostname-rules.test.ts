import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HostnameProblem, readClaimedHostname, readHostname } from './hostname-rules.ts';

const label63 = 'a'.repeat(63);

describe('readHostname', () => {
  it.each([
    ['www.example.ca', 'www.example.ca'],
    ['  WWW.Example.CA  ', 'www.example.ca'],
    ['www.example.ca.', 'www.example.ca'],
    ['example.ca', 'example.ca'],
    ['https://www.example.ca/', 'www.example.ca'],
    ['HTTP://www.example.ca', 'www.example.ca'],
    ['www.example.ca/', 'www.example.ca'],
    ['www。example．ca｡', 'www.example.ca'],
    ['ｗｗｗ.example.ca', 'www.example.ca'],
    // Between marks of direction, as some programs copy it.
    ['\u202ahttps://www.example.ca/\u202c\u200b', 'www.example.ca'],
    ['Québec.example.ca', 'xn--qubec-csa.example.ca'],
    // The same letters in two parts, and with an invisible hyphen as on web pages.
    ['Que\u0301bec.example.ca', 'xn--qubec-csa.example.ca'],
    ['qué\u00adbec.example.ca', 'xn--qubec-csa.example.ca'],
    ['xn--qubec-csa.example.ca', 'xn--qubec-csa.example.ca'],
    ['faß.example.de', 'xn--fa-hia.example.de'],
    ['公司.cn', 'xn--55qx5d.cn'],
    ['blog.localhost', 'blog.localhost'],
    ['1.example.ca', '1.example.ca'],
    ['a--b.example.ca', 'a--b.example.ca'],
    [`${label63}.example.ca`, `${label63}.example.ca`],
    [
      [label63, label63, label63, 'a'.repeat(61)].join('.'),
      [label63, label63, label63, 'a'.repeat(61)].join('.'),
    ],
    ['site.test', 'site.test'],
  ])('normalizes %j to its DNS form', (typed, hostname) => {
    expect(readHostname(typed)).toEqual({ hostname, problem: null });
  });

  it.each<[HostnameProblem, string[]]>([
    ['empty', ['', '   ', 'https://', '.', '//example.ca']],
    [
      'characters',
      [
        'www example.ca',
        'www.example.ca\u0000',
        'www\n.example.ca',
        'ftp://example.ca',
        'me@example.ca',
        'https://me:secret@example.ca/',
        'ex%61mple.ca',
        'example.ca\\admin',
        "example.ca' or 1=1 --",
        '<script>.example.ca',
        'example.ca,example.com',
      ],
    ],
    ['label_empty', ['www..example.ca', '.example.ca', 'example.ca..']],
    ['label_long', [`${label63}a.example.ca`, `${'é'.repeat(63)}.example.ca`]],
    ['long', [[label63, label63, label63, 'a'.repeat(62)].join('.')]],
    ['hyphen', ['-www.example.ca', 'www-.example.ca']],
    [
      'encoding',
      ['xn--a.example.ca', 'xn--.example.ca', 'ab--c.example.ca', 'a／b.example.ca', 'a\u200d.example.ca'],
    ],
    ['single_label', ['www', 'ca', 'intranet.']],
    [
      'address',
      ['192.0.2.1', '[2001:db8::1]', '2001:db8::1', '１９２.0.2.1', '0x7f.1', '2130706433', 'example.123'],
    ],
    ['port', ['www.example.ca:443', 'https://www.example.ca:8443/', 'localhost:3000']],
    ['path', ['https://www.example.ca/blog', 'www.example.ca/?a=b', 'www.example.ca#top']],
    ['wildcard', ['*.example.ca', 'www.*.ca']],
    ['underscore', ['_acme-challenge.example.ca', 'my_site.example.ca']],
    [
      'special_use',
      [
        'printer.local',
        'app.internal',
        'abc.onion',
        '1.2.0.192.in-addr.arpa',
        'www.invalid',
        'x.alt',
        'local',
      ],
    ],
  ])('says that the problem is %s', (problem, typed) => {
    for (const text of typed) expect([text, readHostname(text)]).toEqual([text, { hostname: null, problem }]);
  });

  it('accepts any text without failing, and normalizing twice changes nothing', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.domain(),
      fc.webUrl(),
      fc
        .array(fc.constantFrom('xn--', 'é', 'א', '.', '-', '。', 'a', '1', '\ud800'), { maxLength: 12 })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (typed) => {
        const { hostname } = readHostname(typed);
        if (hostname === null) return;
        expect(hostname).toMatch(
          /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
        );
        expect(readHostname(hostname)).toEqual({ hostname, problem: null });
        expect(new URL(`https://${hostname}/`).hostname).toBe(hostname);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a hostname for an endpoint', () => {
  /** A name with this many characters below example.ca, in parts of at most 63. */
  const nameOf = (length: number) => {
    const end = '.example.ca';
    const rest = length - end.length;
    const parts = [label63, label63, label63, label63].join('.').slice(0, rest);
    return `${parts}${end}`;
  };

  it('may be as long as leaves room for the name of its challenge record', () => {
    expect(readClaimedHostname(nameOf(237))).toEqual({ hostname: nameOf(237), problem: null });
    expect(`_acme-challenge.${nameOf(237)}`).toHaveLength(253);
  });

  it('is refused when the name of its challenge record cannot exist', () => {
    expect(readHostname(nameOf(238))).toEqual({ hostname: nameOf(238), problem: null });
    expect(readClaimedHostname(nameOf(238))).toEqual({ hostname: null, problem: 'challenge_long' });
    expect(readClaimedHostname(nameOf(254))).toEqual({ hostname: null, problem: 'long' });
  });
});
