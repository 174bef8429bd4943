import type { CaaRecord, DnsLookup, LookupResult } from '#server/dns-client/dns-lookup.ts';

export interface FakeRecords {
  cname?: string;
  ipv4?: string[];
  ipv6?: string[];
  txt?: string[];
  caa?: CaaRecord[];
  soa?: string;
  /** Every query for this name ends with this. */
  failure?: 'timeout' | 'failed';
}

/**
 * A public DNS in memory: a name's records, followed through aliases like a resolver. Tests change `records`
 * at will.
 */
export class FakeLookup implements DnsLookup {
  readonly records = new Map<string, FakeRecords>();

  set(name: string, records: FakeRecords): void {
    this.records.set(name, records);
  }

  cname = async (name: string) => this.answer<string>(name, ({ cname }) => (cname ? [cname] : undefined));
  ipv4 = async (name: string) => this.answer(this.follow(name), ({ ipv4 }) => ipv4);
  ipv6 = async (name: string) => this.answer(this.follow(name), ({ ipv6 }) => ipv6);
  txt = async (name: string) => this.answer(this.follow(name), ({ txt }) => txt);
  caa = async (name: string) => this.answer(this.follow(name), ({ caa }) => caa);
  soa = async (name: string) => this.answer(name, ({ soa }) => (soa ? [{ primary: soa }] : undefined));

  private follow(name: string): string {
    let end = name;
    for (let steps = 0; steps < 10; steps += 1) end = this.records.get(end)?.cname ?? end;
    return end;
  }

  private answer<T>(name: string, read: (records: FakeRecords) => T[] | undefined): LookupResult<T> {
    const records = this.records.get(name);
    if (records === undefined) return { kind: 'unknown_name' };
    if (records.failure) return { kind: records.failure };
    const found = read(records);
    return found && found.length > 0 ? { kind: 'found', records: found } : { kind: 'missing' };
  }
}
