import { BlockList, isIP } from 'node:net';
import type { Config } from '#server/config/config.ts';
import { isPublicAddress } from './is-public-address.ts';

/**
 * Whether events may be sent to an address: it is on the public internet, or on a network that the operator
 * allows. Null for a name, which must be resolved first; `localhost` is this machine.
 */
export function mayReach({ webhookNetworks }: Pick<Config, 'webhookNetworks'>, host: string): boolean | null {
  // A name may end with the dot of the root.
  const isLocal = /^(?:.*\.)?localhost\.?$/.test(host);
  const address = isLocal ? '127.0.0.1' : host;
  const family = isIP(address);
  if (family === 0) return null;
  if (isPublicAddress(address)) return true;
  const allowed = new BlockList();
  for (const network of webhookNetworks) {
    const [base = '', prefix] = network.split('/');
    allowed.addSubnet(base, Number(prefix), isIP(base) === 6 ? 'ipv6' : 'ipv4');
  }
  return allowed.check(address, family === 6 ? 'ipv6' : 'ipv4');
}
