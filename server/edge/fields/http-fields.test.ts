import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readByteRange } from './byte-range.ts';
import { contentTypeOf } from './content-type.ts';
import { readHostname } from './hostname.ts';
import { evaluatePreconditions } from './preconditions.ts';
import { preferredLanguage } from './preferred-language.ts';

describe('Range', () => {
  test.each([
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=2-5', { start: 2, end: 5 }],
    ['bytes=2-', { start: 2, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-30', { start: 0, end: 9 }],
    ['bytes=5-99', { start: 5, end: 9 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=0-1,4-5', 'whole'],
    ['bytes=5-2', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=a-b', 'whole'],
    ['items=0-1', 'whole'],
    ['bytes=99999999999999999999-', 'whole'],
    ['BYTES= 2 - 5 ', { start: 2, end: 5 }],
    ['bytes=2 3-5', 'whole'],
    ['bytes=2-5 6', 'whole'],
    ['bytes=-1-2', 'whole'],
    ['bytes', 'whole'],
    ['bytes=', 'whole'],
  ])('%s of ten bytes', (header, expected) => {
    expect(readByteRange(header, 10)).toEqual(expected);
  });

  test('a range of spaces is parsed quickly', () => {
    const blanks = ' '.repeat(8_000);
    const started = performance.now();
    for (let round = 0; round < 100; round += 1) {
      expect(readByteRange(`bytes=${blanks}-${blanks}x`, 10)).toBe('whole');
    }
    // A hundred take a few milliseconds; with backtracking a single one takes minutes.
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test('for any request, a range is within the file', () => {
    fc.assert(
      fc.property(fc.nat(), fc.option(fc.nat()), fc.option(fc.nat()), (size, first, last) => {
        const range = readByteRange(`bytes=${first ?? ''}-${last ?? ''}`, size);
        if (typeof range === 'string') return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.end).toBeGreaterThanOrEqual(range.start);
        expect(range.end).toBeLessThan(size);
      }),
    );
  });
});

describe('conditions', () => {
  const none = { ifMatch: '', ifNoneMatch: '', ifModifiedSince: '', ifUnmodifiedSince: '', ifRange: '' };
  const etag = '"abc"';
  const date = 'Tue, 14 Nov 2023 22:13:20 GMT';
  const later = 'Wed, 15 Nov 2023 22:13:20 GMT';

  test.each([
    [{}, 'proceed'],
    [{ ifNoneMatch: '"abc"' }, 'not-modified'],
    [{ ifNoneMatch: 'W/"abc"' }, 'not-modified'],
    [{ ifNoneMatch: '"x", "abc"' }, 'not-modified'],
    [{ ifNoneMatch: '*' }, 'not-modified'],
    [{ ifNoneMatch: '"x"' }, 'proceed'],
    [{ ifNoneMatch: '"x"', ifModifiedSince: date }, 'proceed'],
    [{ ifModifiedSince: date }, 'not-modified'],
    [{ ifModifiedSince: later }, 'proceed'],
    [{ ifMatch: '"abc"' }, 'proceed'],
    [{ ifMatch: 'W/"abc"' }, 'failed'],
    [{ ifMatch: '"x"' }, 'failed'],
    [{ ifUnmodifiedSince: later }, 'proceed'],
    [{ ifUnmodifiedSince: 'Mon, 13 Nov 2023 00:00:00 GMT' }, 'failed'],
  ])('%j: %s', (conditions, expected) => {
    expect(evaluatePreconditions({ ...none, ...conditions }, etag, date)).toBe(expected);
  });
});

test.each([
  ['Example.COM', 'example.com'],
  ['example.com:8080', 'example.com'],
  ['example.com.', 'example.com'],
  ['EXAMPLE.com.:443', 'example.com'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['', null],
  ['.', null],
  ['a..b', null],
  ['a b', null],
  ['a/b', null],
  ['user@host', null],
  ['host:80:90', null],
  ['host:', 'host'],
  ['host:65535', 'host'],
  ['host:65536', null],
  ['host:99999', null],
  ['host:-1', null],
  ['[::1]:80', null],
  [`${'a'.repeat(254)}`, null],
])('the Host header %j is the hostname %j', (header, hostname) => {
  expect(readHostname(header)).toBe(hostname);
});

test.each([
  ['', 'en'],
  ['fr', 'fr'],
  ['fr-CA,fr;q=0.9,en;q=0.8', 'fr'],
  ['en-CA,fr;q=0.9', 'en'],
  ['de,fr;q=0.5', 'fr'],
  ['fr;q=0', 'en'],
  ['de', 'en'],
])('Accept-Language %j means %s', (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});

test.each([
  ['index.html', 'text/html; charset=utf-8'],
  ['a/app.JS', 'text/javascript; charset=utf-8'],
  ['style.css', 'text/css; charset=utf-8'],
  ['data.json', 'application/json; charset=utf-8'],
  ['app.js.map', 'application/json; charset=utf-8'],
  ['notes.txt', 'text/plain; charset=utf-8'],
  ['image.svg', 'image/svg+xml; charset=utf-8'],
  ['image.avif', 'image/avif'],
  ['font.woff2', 'font/woff2'],
  ['app.wasm', 'application/wasm'],
  ['site.webmanifest', 'application/manifest+json; charset=utf-8'],
  ['LICENSE', 'text/plain; charset=utf-8'],
  ['unknown.abcdefg', 'application/octet-stream'],
  ['noextension', 'application/octet-stream'],
  ['constructor', 'application/octet-stream'],
  ['a.constructor', 'application/octet-stream'],
  ['x/__proto__', 'application/octet-stream'],
  ['a.toString', 'application/octet-stream'],
])('%s is sent as %s', (path, type) => {
  expect(contentTypeOf(path)).toBe(type);
});
