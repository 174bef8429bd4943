import { describe, expect, test } from 'vitest';
import { isCovered, SecureConnection, schemeOf } from './edge-connection.ts';

describe('a connection over TLS', () => {
  test('accepts its server name and what the certificate covers, in any spelling', () => {
    const connection = new SecureConnection('www.example.ca', ['*.example.org', 'other.example.ca']);
    for (const host of ['www.example.ca', 'WWW.example.ca.:8443', 'other.example.ca', 'a.example.org'])
      expect([host, connection.accepts(host)]).toEqual([host, true]);
    for (const host of ['example.ca', 'a.b.example.org', 'example.org', 'www.example.ca.evil.example'])
      expect([host, connection.accepts(host)]).toEqual([host, false]);
    // Accepting one name does not allow the next.
    expect(connection.accepts('www.example.ca')).toBe(true);
    expect(connection.accepts('nobody.example')).toBe(false);
  });

  test('covers nothing by a name without a parent', () => {
    expect(isCovered('localhost', ['*localhost', '*.localhost'])).toBe(false);
    expect(isCovered('a.localhost', ['*.localhost'])).toBe(true);
  });
});

test.each([
  [false, false, 'https', 'http'],
  [true, false, 'http', 'https'],
  [false, true, 'https', 'https'],
  [true, true, 'http', 'http'],
  [false, true, ' HTTPS , http', 'https'],
  [false, true, '', 'unknown'],
  [false, true, 'gopher', 'unknown'],
  [true, true, '', 'https'],
])('TLS %s, a trusted proxy %s that says "%s": the visitor used %s', (isSecure, trustProxy, said, scheme) => {
  expect(schemeOf(isSecure, trustProxy, said)).toBe(scheme);
});
