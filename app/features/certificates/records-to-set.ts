import type { DnsProblem } from '#server/services/certificates/rules.ts';
import type { DnsFact } from '#server/services/certificates/schema.ts';
import type { DnsRecord } from './record-table.tsx';

/** Problems that setting the expected record would not mend. */
const NOT_BY_SETTING: ReadonlySet<DnsProblem | null> = new Set<DnsProblem | null>([
  'stale_ipv6',
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
  return fact.status === 'ok' || NOT_BY_SETTING.has(fact.problem) ? null : rightRecords(fact);
}

/** Returns the records with which a fact is right, whatever stands in their place; null where none is known. */
export function rightRecords(fact: DnsFact): RecordsToSet | null {
  const expected = expectedRecords(fact);
  const records = expected.filter(({ type }) => !ADDRESS_TYPES.has(type));
  const addresses = expected.filter(({ type }) => ADDRESS_TYPES.has(type));
  // Of several right values any one will do; a person is given the first.
  const [first] = records;
  if (first === undefined) return addresses.length > 0 ? { records: addresses, addresses: [] } : null;
  return { records: [first], addresses };
}

/** Returns each record that is expected, of the type under which DNS providers have it. */
export function expectedRecords({
  name,
  type,
  expected,
}: Pick<DnsFact, 'name' | 'type' | 'expected'>): DnsRecord[] {
  return expected.map((value) => ({ name, type: recordType(type, value), value }));
}

const ADDRESS_TYPES: ReadonlySet<string> = new Set(['A', 'AAAA']);

function recordType(type: DnsFact['type'], value: string): string {
  if (type === 'CAA') return type;
  if (/^[\d.]+$/.test(value)) return 'A';
  if (value.includes(':')) return 'AAAA';
  // No standard has it: some providers call it the one, some the other.
  return type === 'ALIAS' ? 'ALIAS / ANAME' : type;
}
