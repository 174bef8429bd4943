import { Resolver } from 'node:dns/promises';
import { isNodeError } from '../errors.ts';
import type { CaaRecord, DnsLookup, LookupResult } from './dns-lookup.ts';

const TIMEOUT_MS = 2_500;
const TRIES = 2;
const CAA_KEYS = ['issue', 'issuewild', 'iodef', 'contactemail', 'contactphone'] as const;

/** Returns look-ups through these recursive resolvers (`address` or `address:port`), or through those of this machine. */
export function createDnsLookup(servers: readonly string[]): DnsLookup {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  return {
    cname: (name) => look(async () => (await resolver.resolveCname(name)).map(plainName)),
    ipv4: (name) => look(() => resolver.resolve4(name)),
    ipv6: (name) => look(() => resolver.resolve6(name)),
    txt: (name) => look(async () => (await resolver.resolveTxt(name)).map((parts) => parts.join(''))),
    caa: (name) => look(async () => (await resolver.resolveCaa(name)).flatMap(readCaa)),
    soa: (name) => look(async () => [{ primary: plainName((await resolver.resolveSoa(name)).nsname) }]),
  };
}

async function look<T>(ask: () => Promise<readonly T[]>): Promise<LookupResult<T>> {
  try {
    const records = await ask();
    return records.length > 0 ? { kind: 'found', records } : { kind: 'missing' };
  } catch (error) {
    const code = isNodeError(error) ? error.code : '';
    if (code === 'ENODATA') return { kind: 'missing' };
    if (code === 'ENOTFOUND') return { kind: 'unknown_name' };
    return { kind: code === 'ETIMEOUT' || code === 'ECONNREFUSED' ? 'timeout' : 'failed' };
  }
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** Node gives each record as `{ critical, issue: '…' }`. */
function readCaa(record: Awaited<ReturnType<Resolver['resolveCaa']>>[number]): CaaRecord[] {
  return CAA_KEYS.flatMap((tag) => {
    const value = record[tag];
    return value === undefined ? [] : [{ isCritical: record.critical !== 0, tag, value }];
  });
}
