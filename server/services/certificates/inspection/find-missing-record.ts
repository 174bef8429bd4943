import { getDomain } from 'tldts';
import type { DnsLookup } from '#server/dns-client/dns-lookup.ts';
import type { DnsProblem } from '../rules.ts';

/**
 * Returns why a record is not at its name: the domain does not exist, the record was set with the domain
 * appended to a name that already had it (a common mistake in DNS providers' forms), or it is just missing.
 */
export async function findMissingRecord(
  lookup: DnsLookup,
  name: string,
  target: string,
): Promise<Extract<DnsProblem, 'domain_missing' | 'name_doubled' | 'record_missing'>> {
  const domain = getDomain(name);
  if (domain === null) return 'record_missing';
  const [top, doubled] = await Promise.all([lookup.soa(domain), lookup.cname(`${name}.${domain}`)]);
  if (top.kind === 'unknown_name') return 'domain_missing';
  const isThere =
    doubled.kind === 'found' &&
    doubled.records.some((value) => value === target || isDoubled(value, target, name));
  return isThere ? 'name_doubled' : 'record_missing';
}

/**
 * Whether a value is the target with the domain of the name appended, because its trailing dot is missing.
 */
export function isDoubled(value: string | undefined, target: string, name: string): boolean {
  return value === `${target}.${getDomain(name)}`;
}
