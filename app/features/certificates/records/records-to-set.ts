import type { DnsProblem } from '#server/services/certificates/rules.ts';
import type { DnsFact } from '#server/services/certificates/schema.ts';
import type { DnsRecord } from './record-table.tsx';

/** Problems that setting the expected record would not fix. */
const NOT_BY_SETTING: ReadonlySet<DnsProblem | null> = new Set<DnsProblem | null>([
  'stale_ipv6',
  'challenge_zone_unreachable',
  'resolver_timeout',
  'resolver_failed',
]);

/**
 * The records that fix a fact: the first choice, and plain addresses for providers without that record type.
 */
export interface RecordsToSet {
  records: DnsRecord[];
  addresses: DnsRecord[];
}

/** Returns the records that a person must set to fix a fact; null when there is nothing to set. */
export function recordsToSet(fact: DnsFact): RecordsToSet | null {
  return fact.status === 'ok' || NOT_BY_SETTING.has(fact.problem) ? null : rightRecords(fact);
}

/**
 * Returns the records with which a fact is correct, whatever exists in their place; null when none is known.
 */
export function rightRecords(fact: DnsFact): RecordsToSet | null {
  const expected = expectedRecords(fact);
  const records = expected.filter(({ type }) => !ADDRESS_TYPES.has(type));
  const addresses = expected.filter(({ type }) => ADDRESS_TYPES.has(type));
  // Any of several correct values will do; a person is shown the first.
  const [first] = records;
  if (first === undefined) return addresses.length > 0 ? { records: addresses, addresses: [] } : null;
  return { records: [first], addresses };
}

/** Returns each expected record, with the type name that DNS providers use. */
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
  // No standard defines it: some providers use one name, some the other.
  return type === 'ALIAS' ? 'ALIAS / ANAME' : type;
}
