import { Resolver } from 'node:dns/promises';
import { isNodeError } from '../errors.ts';
import type { CaaRecord, DnsLookup, LookupResult } from './dns-lookup.ts';

const TIMEOUT_MS = 2_500;
const TRIES = 2;
/**
 * The names we look up; a final dot is not part of them. Other names may exist, but none of our lookups lead
 * there.
 */
const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/i;
/** What node adds to the one property named after a CAA record's tag. */
const CAA_EXTRAS: ReadonlySet<string> = new Set(['critical', 'type']);

/**
 * Returns lookups through these recursive resolvers (`address` or `address:port`, IPv6 with a port in
 * brackets), or through those of this machine. Every lookup is a question to the resolver: nothing is cached
 * here.
 */
export function createDnsLookup(
  servers: readonly string[],
  { timeoutMs = TIMEOUT_MS, tries = TRIES }: { timeoutMs?: number; tries?: number } = {},
): DnsLookup {
  const resolver = new Resolver({ timeout: timeoutMs, tries });
  if (servers.length > 0) resolver.setServers(servers);
  return {
    cname: (name) => look(name, async () => (await resolver.resolveCname(name)).map(plainName)),
    ipv4: (name) => look(name, () => resolver.resolve4(name)),
    ipv6: (name) => look(name, () => resolver.resolve6(name)),
    txt: (name) => look(name, async () => (await resolver.resolveTxt(name)).map((parts) => parts.join(''))),
    caa: (name) => look(name, async () => (await resolver.resolveCaa(name)).map(readCaa)),
    soa: (name) => look(name, async () => [{ primary: plainName((await resolver.resolveSoa(name)).nsname) }]),
  };
}

async function look<T>(name: string, ask: () => Promise<readonly T[]>): Promise<LookupResult<T>> {
  if (!NAME.test(name)) return { kind: 'unknown_name' };
  try {
    const records = await ask();
    return records.length > 0 ? { kind: 'found', records } : { kind: 'missing' };
  } catch (error) {
    return { kind: kindOfFailure(isNodeError(error) ? error.code : undefined) };
  }
}

/** EREFUSED, EBADRESP, EFORMERR and the like count as SERVFAIL: an answer, but not to the question. */
function kindOfFailure(code: string | undefined): 'missing' | 'unknown_name' | 'timeout' | 'failed' {
  switch (code) {
    case 'ENODATA':
      return 'missing';
    case 'ENOTFOUND':
    case 'EBADNAME':
      return 'unknown_name';
    case 'ETIMEOUT':
    case 'ECONNREFUSED':
    case 'ECANCELLED':
      return 'timeout';
    default:
      return 'failed';
  }
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** Node returns each record as `{ critical: 0, type: 'CAA', issue: '…' }`, whatever the tag is. */
function readCaa(record: object): CaaRecord {
  const entries = Object.entries(record);
  const [tag = 'unknown', value = ''] = entries.find(([key]) => !CAA_EXTRAS.has(key)) ?? [];
  const isCritical = entries.some(([key, flags]) => key === 'critical' && flags !== 0);
  return { isCritical, tag: tag.toLowerCase(), value: String(value) };
}
