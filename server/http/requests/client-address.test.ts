import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { clientAddress } from './client-address.ts';

/** A request from this address, with the header that a proxy sets. */
function requestFrom(remoteAddress: string, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  // Nothing else of a request is read.
  return { socket: { remoteAddress }, headers } as IncomingMessage;
}

describe('the address of a client', () => {
  it('is the connection’s, whatever the client claims', () => {
    expect(clientAddress(requestFrom('::ffff:192.0.2.1', '203.0.113.9'), false)).toBe('192.0.2.1');
  });

  it.each([
    ['198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:41312', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['[2001:db8::1]:41312', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('is the last one that a trusted proxy names: %s', (forwarded, address) => {
    expect(clientAddress(requestFrom('127.0.0.1', forwarded), true)).toBe(address);
  });

  it.each([undefined, '', 'unknown', '_hidden', '203.0.113.9,', '203.0.113.999', `${'1'.repeat(8000)}`])(
    'is the proxy’s own when that names none: %s',
    (forwarded) => {
      expect(clientAddress(requestFrom('127.0.0.1', forwarded), true)).toBe('127.0.0.1');
    },
  );
});
