import { describe, expect, it } from 'vitest';
import { findProxyNetwork } from './proxy-networks.ts';

describe('findProxyNetwork', () => {
  it.each([
    ['104.16.132.229', 'Cloudflare'],
    ['172.67.1.1', 'Cloudflare'],
    ['2606:4700:0:0::6810:84e5', 'Cloudflare'],
    ['45.60.1.1', 'Imperva'],
    ['192.88.134.7', 'Sucuri'],
    ['203.0.113.10', null],
    ['2001:db8::1', null],
    ['::1', null],
    ['not an address', null],
    ['', null],
  ])('knows which network %s belongs to', (address, network) => {
    expect(findProxyNetwork(address)).toBe(network);
  });
});
