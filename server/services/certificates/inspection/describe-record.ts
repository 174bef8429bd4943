import { findProxyNetwork } from '#server/dns-client/proxy-networks.ts';

const TEXT_MAX = 300;
const RECORDS_MAX = 16;

/**
 * Returns records as in a zone file (RFC 1035, 5.1), safe to show anywhere, because strangers control their
 * content: at most sixteen, each of limited length, printable ASCII only.
 */
export function describeRecords(
  type: 'CNAME' | 'A' | 'AAAA' | 'TXT' | 'CAA',
  values: readonly string[],
): string[] {
  return values.slice(0, RECORDS_MAX).map((value) => {
    const part = value.slice(0, TEXT_MAX);
    const text = escapeText(type === 'TXT' ? `"${part.replace(/["\\]/g, '\\$&')}"` : part);
    const isShort = part === value && text.length <= TEXT_MAX;
    return `${type} ${isShort ? text : `${text.slice(0, TEXT_MAX)}...`}`;
  });
}

/** Returns addresses as records, with the proxy network that each belongs to. */
export function describeAddresses(type: 'A' | 'AAAA', addresses: readonly string[]): string[] {
  const notes = addresses.map((address) => {
    const network = findProxyNetwork(address);
    return network === null ? address : `${address} ; ${network}`;
  });
  return describeRecords(type, notes);
}

/** Escapes everything but printable ASCII, byte by byte as `\DDD`. */
function escapeText(text: string): string {
  return text.replace(/[^ -~]+/g, (odd) =>
    [...Buffer.from(odd)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join(''),
  );
}
