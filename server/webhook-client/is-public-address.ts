import { BlockList, isIP } from 'node:net';

const V4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];
const special = new BlockList();
for (const [network, prefix] of V4) special.addSubnet(network, prefix, 'ipv4');
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');
/**
 * Within 2000::/3, but belonging to no remote machine, or embedding an IPv4 address: Teredo and others,
 * documentation, 6to4.
 */
const carved = new BlockList();
carved.addSubnet('2001::', 23, 'ipv6');
carved.addSubnet('2001:db8::', 32, 'ipv6');
carved.addSubnet('2002::', 16, 'ipv6');
carved.addSubnet('3fff::', 20, 'ipv6');

/**
 * Whether an IP address belongs to the public internet (IANA's special-purpose registries), not to this
 * machine or its networks.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special.check(address, 'ipv4');
  return family === 6 && global.check(address, 'ipv6') && !carved.check(address, 'ipv6');
}
