/**
 * The result of a lookup. `missing`: the name exists without such a record; `unknown_name`: the name does not
 * exist.
 */
export type LookupResult<T> =
  | { kind: 'found'; records: readonly T[] }
  | { kind: 'missing' }
  | { kind: 'unknown_name' }
  | { kind: 'timeout' }
  /** SERVFAIL, REFUSED or an unreadable answer. */
  | { kind: 'failed' };

export interface CaaRecord {
  isCritical: boolean;
  /** `issue`, `issuewild`, `iodef`, … in lower case. */
  tag: string;
  value: string;
}

/** Asks recursive resolvers about the public DNS. Names come back in lower case without a final dot. */
export interface DnsLookup {
  /** The CNAME of exactly this name, not of its target. */
  cname(name: string): Promise<LookupResult<string>>;
  /** IPv4 addresses at the end of the chain. */
  ipv4(name: string): Promise<LookupResult<string>>;
  ipv6(name: string): Promise<LookupResult<string>>;
  /** Each text with its parts joined, at the end of the chain. */
  txt(name: string): Promise<LookupResult<string>>;
  caa(name: string): Promise<LookupResult<CaaRecord>>;
  /** Found only at the top of a zone. */
  soa(name: string): Promise<LookupResult<{ primary: string }>>;
}

/**
 * Publishes challenge values at an external name server. Null in App when our own DNS role answers from the
 * database.
 */
export interface ChallengeUpdates {
  /** Makes `values` the TXT records of `{dnsChallengeId}.{ACME_ZONE}`; an empty list removes the name. */
  put(dnsChallengeId: string, values: readonly string[]): Promise<void>;
}
