import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSimpleRequest, SimpleRequest } from './simple-request.ts';

function read(text: string, start = 0): { end: number; request: SimpleRequest } {
  const request = new SimpleRequest();
  return { end: readSimpleRequest(Buffer.from(text, 'latin1'), text, start, request), request };
}

const browser = [
  'GET /a/b.css?v=1 HTTP/1.1',
  'Host: site.test:8080',
  'User-Agent: Mozilla/5.0 (X11; Linux x86_64)',
  'Accept: text/css,*/*;q=0.1',
  'accept-language:\tfr-CA,fr;q=0.9 ',
  'Accept-Encoding: gzip, deflate, br, zstd',
  'Connection: keep-alive',
  'If-None-Match: "abc"',
  'If-Modified-Since: Tue, 14 Nov 2023 22:13:20 GMT',
  'Cookie: a=b; c=d',
  '',
  '',
].join('\r\n');

test('a typical browser request is parsed with the fields that the edge uses', () => {
  const { end, request } = read(browser);
  expect(end).toBe(browser.length);
  expect(request).toMatchObject({
    method: 'GET',
    target: '/a/b.css?v=1',
    path: '/a/b.css',
    host: 'site.test:8080',
    acceptLanguage: 'fr-CA,fr;q=0.9',
    acceptEncoding: 'gzip, deflate, br, zstd',
    ifNoneMatch: '"abc"',
    ifModifiedSince: 'Tue, 14 Nov 2023 22:13:20 GMT',
    range: '',
  });
});

test('one request after another is parsed, and nothing remains from the first', () => {
  const text = `${browser}HEAD / HTTP/1.1\r\nHost: b\r\n\r\n`;
  const request = new SimpleRequest();
  const bytes = Buffer.from(text, 'latin1');
  const end = readSimpleRequest(bytes, text, 0, request);
  expect(readSimpleRequest(bytes, text, end, request)).toBe(text.length);
  expect(request).toEqual({ ...new SimpleRequest(), method: 'HEAD', target: '/', path: '/', host: 'b' });
});

test.each([
  ['Connection: close', true],
  ['connection:  CLOSE ', true],
  ['Connection: close\r\nConnection: keep-alive', true],
  ['Connection: keep-alive\r\nConnection: close', true],
  ['Connection: keep-alive', false],
  ['X-Connection: close', false],
])('with %s, that it is the last of its connection is %s', (lines, isLast) => {
  const text = `GET / HTTP/1.1\r\nHost: a\r\n${lines}\r\n\r\n`;
  const { end, request } = read(text);
  expect([end, request.isLast]).toEqual([text.length, isLast]);
});

test('no part of a request is mistaken for a complete one', () => {
  for (let length = 0; length < browser.length; length += 1)
    expect(read(browser.slice(0, length)).end).toBe(0);
});

test.each([
  ['another method', 'POST / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['another version', 'GET / HTTP/1.0\r\nHost: a\r\n\r\n'],
  ['no host', 'GET / HTTP/1.1\r\nAccept: a\r\n\r\n'],
  ['an empty host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n'],
  ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nhOST: b\r\n\r\n'],
  ['two ranges', 'GET / HTTP/1.1\r\nHost: a\r\nRange: bytes=0-\r\nRange: bytes=1-\r\n\r\n'],
  ['an empty range', 'GET / HTTP/1.1\r\nHost: a\r\nRange:\r\nRange: bytes=1-\r\n\r\n'],
  ['a body by length', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'],
  ['a body in chunks', 'GET / HTTP/1.1\r\nHost: a\r\nTRANSFER-ENCODING: chunked\r\n\r\n'],
  ['an expectation', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n'],
  ['an upgrade', 'GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n'],
  ['a connection option beside close', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close, te\r\n\r\n'],
  ['an option after a close', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nConnection: x\r\n\r\n'],
  ['an absolute target', 'GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a folded line', 'GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\n'],
  ['a bare carriage return', 'GET / HTTP/1.1\r\nHost: a\r\nX: 1\r2\r\n\r\n'],
  ['a bare line feed', 'GET / HTTP/1.1\r\nHost: a\nX: 1\r\n\r\n'],
  ['a space before a colon', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n'],
  ['bytes beyond ASCII', 'GET /é HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['two spaces', 'GET /  HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['too many headers', `GET / HTTP/1.1\r\nHost: a\r\n${'X: 1\r\n'.repeat(200)}\r\n`],
])('a request with %s is left to Node', (_, text) => {
  expect(read(text).end).toBe(0);
});

test('whatever it accepts, Node parses the same way', async () => {
  const seen: IncomingMessage[] = [];
  let isKept = false;
  const server = createServer((incoming, outgoing) => {
    seen.push(incoming);
    isKept = outgoing.shouldKeepAlive;
    outgoing.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const piece = fc.constantFrom(
    '\r\n',
    ' ',
    '\t',
    ':',
    'Host: b',
    'Range: x',
    'X-A: 1, 2',
    'a',
    '?',
    '%',
    '\r',
    '\n',
    '\u0000',
    '"',
    'If-Range:',
    'Connection: close',
    'Connection: keep-alive',
  );
  const text = fc
    .array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 12 })
    .map(
      (pieces) =>
        `GET /${pieces.slice(0, 2).join('')} HTTP/1.1\r\nHost: a\r\n${pieces.slice(2).join('')}\r\n\r\n`,
    );
  let accepted = 0;
  try {
    await fc.assert(
      fc.asyncProperty(text, async (asked) => {
        const { end, request } = read(asked);
        if (end === 0) return;
        accepted += 1;
        seen.length = 0;
        const socket = connect(port, '127.0.0.1', () => socket.end(asked.slice(0, end), 'latin1'));
        socket.resume();
        await once(socket, 'close');
        const [incoming] = seen;
        expect(incoming).toBeDefined();
        expect(isKept).toBe(!request.isLast);
        const headers = incoming?.headers ?? {};
        const ifRange = headers['if-range'] ?? '';
        expect([incoming?.method, incoming?.url, headers.host, headers.range ?? '', ifRange]).toEqual([
          request.method,
          request.target,
          request.host,
          request.range,
          request.ifRange,
        ]);
      }),
      { numRuns: 5_000 },
    );
  } finally {
    server.close();
  }
  expect(accepted).toBeGreaterThan(50);
});
