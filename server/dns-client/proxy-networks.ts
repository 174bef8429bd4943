import { BlockList, isIP } from 'node:net';

/**
 * Networks that proxy other people's servers under their own addresses, as each of them publishes:
 * https://www.cloudflare.com/ips/ , Imperva's "allowlist Imperva IP addresses" and Sucuri's "firewall IP
 * addresses". A range that is missing here only makes a message less precise.
 */
const PUBLISHED: Record<string, readonly string[]> = {
  Cloudflare: [
    '173.245.48.0/20',
    '103.21.244.0/22',
    '103.22.200.0/22',
    '103.31.4.0/22',
    '141.101.64.0/18',
    '108.162.192.0/18',
    '190.93.240.0/20',
    '188.114.96.0/20',
    '197.234.240.0/22',
    '198.41.128.0/17',
    '162.158.0.0/15',
    '104.16.0.0/13',
    '104.24.0.0/14',
    '172.64.0.0/13',
    '131.0.72.0/22',
    '2400:cb00::/32',
    '2606:4700::/32',
    '2803:f800::/32',
    '2405:b500::/32',
    '2405:8100::/32',
    '2a06:98c0::/29',
    '2c0f:f248::/32',
  ],
  Imperva: [
    '199.83.128.0/21',
    '198.143.32.0/19',
    '149.126.72.0/21',
    '103.28.248.0/22',
    '45.64.64.0/22',
    '185.11.124.0/22',
    '192.230.64.0/18',
    '107.154.0.0/16',
    '45.60.0.0/16',
    '45.223.0.0/16',
    '131.125.128.0/17',
    '2a02:e980::/29',
  ],
  Sucuri: ['192.88.134.0/23', '185.93.228.0/22', '66.248.200.0/22', '208.109.0.0/22', '2a02:fe80::/29'],
};

const networks = Object.entries(PUBLISHED).map(([name, ranges]) => {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    list.addSubnet(network, Number(prefix), familyOf(network));
  }
  return { name, list };
});

/**
 * Returns the proxy network that an address belongs to, e.g. `Cloudflare`, or null when it is none that we
 * know.
 */
export function findProxyNetwork(address: string): string | null {
  if (isIP(address) === 0) return null;
  return networks.find(({ list }) => list.check(address, familyOf(address)))?.name ?? null;
}

/** Returns the family of an address by the name that node's lists use. */
export function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
