import { describe, expect, it } from 'vitest';
import { shortenAddress } from './access-log.ts';

describe('an address in the access log', () => {
  it.each([
    ['192.0.2.77', '192.0.2.0'],
    ['::ffff:192.0.2.77', '192.0.2.0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::'],
    ['2001:db8::7', '2001:db8::'],
    ['::1', '::'],
    ['fe80::1%eth0', 'fe80::'],
    ['', ''],
  ])('%s is logged as %s', (address, told) => {
    expect(shortenAddress(address)).toBe(told);
  });
});
