import type { DnsProblem } from '#server/services/certificates/rules.ts';
import type { DnsFact } from '#server/services/certificates/schema.ts';
import type { DnsRecord } from './record-table.tsx';

/** Problems that setting the expected record would not mend. */
const NOT_BY_SETTING: ReadonlySet<DnsProblem | null> = new Set<DnsProblem | null>([
  'stale_ipv6',
  'proxied',
  'challenge_zone_unreachable',
  'resolver_timeout',
  'resolver_failed',
]);

/** The records that make a fact right: the first choice, and plain addresses where a provider has no such record type. */
export interface RecordsToSet {
  records: DnsRecord[];
  addresses: DnsRecord[];
}

/** Returns what a person sets to make a fact right; null where there is nothing to set. */
export function recordsToSet(fact: DnsFact): RecordsToSet | null {
  if (fact.status === 'ok' || NOT_BY_SETTING.has(fact.problem)) return null;
  const { name, type } = fact;
  const expected = fact.expected.map((value) => ({ name, type: recordType(type, value), value }));
  const records = expected.filter((record) => record.type === type);
  const addresses = expected.filter((record) => record.type !== type);
  // Of several right values any one will do; a person is given the first.
  const [first] = records;
  if (first === undefined) return addresses.length > 0 ? { records: addresses, addresses: [] } : null;
  return { records: [first], addresses };
}

function recordType(type: DnsFact['type'], value: string): string {
  if (type === 'CAA') return type;
  if (/^[\d.]+$/.test(value)) return 'A';
  return value.includes(':') ? 'AAAA' : type;
}
