import { describe, expect, it } from 'vitest';
import { networkOf } from './network-rate.ts';

describe('the rate of a network', () => {
  it.each([
    ['192.0.2.7', '192.0.2'],
    ['::ffff:192.0.2.7', '192.0.2'],
    ['2001:db8:1:2ff:3:4:5:6', '2001:db8:1'],
    ['2001:db8:1:3ff::1', '2001:db8:1'],
    ['2001:db8::1', '2001:db8:0'],
    ['fe80::1%eth0', 'fe80:0:0'],
    ['::1', '0:0:0'],
    ['', ''],
  ])('places %s in the network %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
