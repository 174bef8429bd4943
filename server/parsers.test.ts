import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type AttackedParser, attackParser } from '#tests/support/sources/attack-parser.ts';
import { safeReturnPath } from './auth/return-path.ts';
import { organizationsOfGroups } from './auth/upstream/groups.ts';
import { plainWords } from './certificate-authority/acme-problem.ts';
import { parseQuery } from './dns/parse-query.ts';
import { schemeOf } from './edge/connections/edge-connection.ts';
import { readSimpleRequest, SimpleRequest } from './edge/connections/simple-request.ts';
import { joinRedirect } from './edge/endpoint-redirect.ts';
import { readByteRange } from './edge/fields/byte-range.ts';
import { cacheControlOf } from './edge/fields/cache-policy.ts';
import { contentTypeOf } from './edge/fields/content-type.ts';
import { readHostname } from './edge/fields/hostname.ts';
import { listsTag } from './edge/fields/preconditions.ts';
import { preferredLanguage } from './edge/fields/preferred-language.ts';
import { readRequestPath } from './edge/fields/request-path.ts';
import { compileHeaders, parseHeaders } from './edge/rules/header-rules.ts';
import { compileRedirects, parseRedirects, redirectLocation } from './edge/rules/redirect-rules.ts';
import { parseJson } from './http/bodies/parse-json.ts';
import { parseCookies } from './http/requests/cookies.ts';
import { detectLanguage } from './http/requests/detect-language.ts';
import { parseAuthorization } from './http/requests/parse-authorization.ts';
import { requireReadable } from './http/requests/require-readable.ts';
import { encodingChoices } from './http-fields/negotiate-encoding.ts';
import { addressKey } from './limits/rate-limits.ts';
import { readRetryAfter } from './outgoing/read-retry-after.ts';
import { wireTransformer } from './routers/wire-transformer.ts';
import { shortenAddress } from './services/audit/rules.ts';
import { readClaimedHostname } from './services/cdn/hostname-rules.ts';
import { readRedirectTarget } from './services/cdn/redirect-rules.ts';
import { isIssueAllowed } from './services/certificates/inspection/caa-rules.ts';
import { describeRecords } from './services/certificates/inspection/describe-record.ts';
import { readEntryPath } from './services/deployments/archives/archive-entries.ts';
import { checkManifest, checkPath } from './services/deployments/manifests/manifest-rules.ts';
import { loginProblem } from './services/identity/accounts/account-rules.ts';
import { redirectUriProblem } from './services/identity/clients/identity-client-rules.ts';
import { signInAccountInput, updateAccountInput } from './services/identity/schema.ts';
import { createSiteInput } from './services/sites/schema.ts';
import { formatCsvLine } from './services/usage/format-csv-line.ts';

const HEAD = 'GET /a HTTP/1.1\r\nHost: a.test\r\nRange: bytes=0-1\r\n\r\n';
const RULES = compileRedirects(
  parseRedirects('/a/:b/*/c/:d /to/:b/:splat/:d 301\n/x/* /y/:splat\n/*/z /w').rules,
);
const HEADERS = compileHeaders(parseHeaders('/a/:b/*\n  x-a: :b :splat\n/*\n  x-b: :splat').rules);
const LIMITS = { filesMax: 1000, fileBytesMax: 1000, versionBytesMax: 1_000_000 };
/** A request as node provides it. */
function requestOf(url: string, host: string): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url, headers: { host } });
}

const SHA256 = 'a'.repeat(64);

/**
 * Every parser of text that a stranger, a visitor, a tenant or another server sends. Add new ones here,
 * called as in production: with the limits that apply to the text before it, such as its schema.
 */
const PARSERS: AttackedParser[] = [
  // The edge: request lines, hosts and headers of visitors.
  { name: 'a Range', samples: ['bytes=0-1', 'bytes=0-1,2-3'], parse: (text) => readByteRange(text, 100) },
  { name: 'a list of entity tags', samples: ['"a", W/"b"'], parse: (text) => listsTag(text, '"c"', true) },
  { name: 'Accept-Encoding', samples: ['br;q=1, gzip;q=0.5'], parse: encodingChoices },
  { name: 'Accept-Language', samples: ['fr-CA;q=0.9, en'], parse: preferredLanguage },
  { name: 'a host', samples: ['a.test:80'], parse: readHostname },
  { name: 'X-Forwarded-Proto', samples: ['https, http'], parse: (text) => schemeOf(false, true, text) },
  { name: 'a request target', samples: ['/a/%C3%A9?b=c'], parse: readRequestPath },
  {
    name: 'a request',
    samples: [HEAD, HEAD.slice(0, -2)],
    parse: (text) => readSimpleRequest(Buffer.from(text, 'latin1'), text, 0, new SimpleRequest()),
  },
  {
    name: 'the target of a redirect endpoint',
    samples: ['/a?b'],
    parse: (text) => joinRedirect('https://b.test/c?d#e', text, 'a.test'),
  },
  { name: 'an address as a limit counts it', samples: ['2001:db8::1', '::ffff:1.2.3.4'], parse: addressKey },
  { name: 'an address that is shortened', samples: ['2001:db8::1', '192.0.2.1'], parse: shortenAddress },
  // What tenants deploy, and what visitors request from it.
  { name: '_redirects', samples: ['/a/:b /c/:b 301\n', 'https://a.test'], parse: parseRedirects },
  { name: 'the target in _redirects', samples: ['/a https://b.test/:c#d 301'], parse: parseRedirects },
  { name: '_headers', samples: ['/a/*\n  X-A: b\n', '/a\n  ! X-A\n'], parse: parseHeaders },
  {
    name: 'a path under _redirects',
    samples: ['/a/b/c', '/x/z'],
    parse: (text) => {
      const match = RULES(text);
      return match && redirectLocation(match, '?a=b');
    },
  },
  { name: 'a path under _headers', samples: ['/a/b/c'], parse: (text) => HEADERS(text, new Map()) },
  { name: 'the type of a file', samples: ['a/b.html'], parse: contentTypeOf },
  { name: 'the caching of a file', samples: ['a/b-1a2B3c4D.js'], parse: (text) => cacheControlOf(text, '') },
  { name: 'a path of a manifest', samples: ['a/b.html'], parse: checkPath },
  { name: 'a path in an archive', samples: ['./a/b.html', '__MACOSX/a'], parse: readEntryPath },
  {
    name: 'a manifest',
    samples: ['a', 'a\nb'],
    parse: (text) =>
      checkManifest(
        text.split('\n').map((path) => ({ path, sha256: SHA256, size: 1 })),
        LIMITS,
      ),
  },
  // The console, REST and identity.
  {
    name: 'the host of a request to the console',
    samples: ['a.test:80'],
    parse: (host) => requireReadable(requestOf('/a', host)),
  },
  {
    name: 'the address of a request to the console',
    samples: ['/a?b', '//a', 'http://a.test/b'],
    parse: (url) => requireReadable(requestOf(url, 'a.test')),
  },
  { name: 'cookies', samples: ['a=b; c=d'], parse: parseCookies },
  { name: 'Authorization', samples: ['Bearer a:b', 'Basic YTpi'], parse: parseAuthorization },
  { name: 'a return path', samples: ['/a?b#c'], parse: (text) => safeReturnPath(text, 'https://a.test') },
  {
    name: 'the language of a page',
    samples: ['fr;q=0.9, en'],
    parse: (text) => detectLanguage({ preference: null, cookie: text, asked: text, acceptLanguage: text }),
  },
  { name: 'a JSON body', samples: ['{"a":[1,2]}', '["a"]'], parse: (text) => parseJson(Buffer.from(text)) },
  {
    name: 'the path of an undefined value',
    samples: ['a.b'],
    parse: (text) =>
      wireTransformer.input.deserialize({ json: { a: null }, meta: { values: { [text]: ['undefined'] } } }),
  },
  {
    name: 'a sign-in',
    samples: ['a@b.test'],
    parse: (text) => signInAccountInput.parse({ email: text, password: text }),
  },
  {
    name: 'a profile',
    samples: ['https://a.test/b'],
    parse: (text) =>
      updateAccountInput.parse({ login: text, email: text, full_name: text, avatar_url: text }),
  },
  { name: 'a user name', samples: ['a-b'], parse: loginProblem },
  { name: 'a redirect address of a client', samples: ['https://a.test/b'], parse: redirectUriProblem },
  { name: 'the name of a site', samples: ['My site'], parse: (name) => createSiteInput.parse({ name }) },
  { name: 'a line of CSV', samples: ['a,"b"'], parse: (text) => formatCsvLine([text]) },
  // Hostnames, the DNS, authorities and other servers.
  { name: 'a hostname', samples: ['www.example.ca', 'https://a.test/'], parse: readClaimedHostname },
  { name: 'a redirect target', samples: ['https://a.test/b?c'], parse: readRedirectTarget },
  {
    name: 'a question of the DNS',
    samples: ['\0\0\0\0\0\u0001\0\0\0\0\0\u0001\u0001a\0\0\u0001\0\u0001', '\u00c0\u000c'],
    parse: (text) => parseQuery(Buffer.from(text, 'latin1'), Number.POSITIVE_INFINITY),
  },
  {
    name: 'a CAA record',
    samples: ['a.test; validationmethods=dns-01', '; a=b'],
    parse: (value) => isIssueAllowed([{ tag: 'issue', value, isCritical: false }], ['b.test'], false),
  },
  { name: 'a found record', samples: ['"a" "b"'], parse: (text) => describeRecords('TXT', [text]) },
  { name: 'the words of an authority', samples: ['a\u200bb'], parse: plainWords },
  { name: 'Retry-After', samples: ['120'], parse: (text) => readRetryAfter(text, 0, 1000) },
  {
    name: 'the groups of a person',
    samples: ['/a/b:admin'],
    parse: (text) => organizationsOfGroups([text, ...text.split(',')], { prefix: '/', permission: 'read' }),
  },
];

describe('a parser takes linear time', () => {
  test.each(PARSERS)('$name', (parser) => {
    expect(attackParser(parser)).toBeNull();
  });

  test.each<AttackedParser>([
    { name: 'normalising', samples: [], parse: (text) => text.normalize('NFC') },
    { name: 'normalising for search', samples: [], parse: (text) => text.normalize('NFKC') },
    {
      name: 'cutting off one part at a time',
      samples: [],
      parse: (text) => {
        let rest = text;
        while (rest.includes(',')) rest = rest.split(',').slice(1).join(',');
      },
    },
    {
      name: 'looking for each in all',
      samples: [],
      parse: (text) => {
        const seen: string[] = [];
        for (const part of text.split(',')) {
          const numbered = `${part}${seen.length}`;
          if (!seen.includes(numbered)) seen.push(numbered);
        }
      },
    },
  ])('the attack finds the problem with $name', (parser) => {
    expect(attackParser(parser)).not.toBeNull();
  });
});
