import { isIP } from 'node:net';

/**
 * Returns the address that a proxy has written: without brackets and the port that some add, which differs for
 * every connection of one client, and without a zone. Null when it is not an address.
 */
export function readForwardedAddress(text: string): string | null {
  const [, inBrackets, beforePort] = /^(?:\[([^\]]*)\](?::\d*)?|([\d.]+):\d*)$/.exec(text) ?? [];
  const address = (inBrackets ?? beforePort ?? text).replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/s, '');
  return isIP(address) === 0 ? null : address;
}
