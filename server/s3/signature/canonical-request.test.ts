import { expect, it } from 'vitest';
import { canonicalRequest } from './canonical-request.ts';

it('orders parameters by name and then by value, whatever follows a name in the text', () => {
  const query = [
    ['select-type', '2'],
    ['select', ''],
    ['b', '2'],
    ['b', '10'],
    ['a b', '/'],
  ] as const;
  const request = { method: 'POST', rawPath: '/b/k', query, headerValues: new Map([['host', ['h']]]) };
  expect(canonicalRequest(request, ['host'], 'UNSIGNED-PAYLOAD').toString()).toBe(
    'POST\n/b/k\na%20b=%2F&b=10&b=2&select=&select-type=2\nhost:h\n\nhost\nUNSIGNED-PAYLOAD',
  );
});
