import type { Socket } from 'node:net';

/** Everything that the name server needs from the rest of the product. */
export interface DnsPorts {
  /**
   * The texts of a label below the challenge zone, in lower case; empty while it has no value, null for a
   * label that does not exist. A rejected promise means "unknown for now" and is answered as such: clients
   * must not take it for an absent name.
   */
  findTexts(label: string): Promise<readonly string[] | null>;
}

/** Runs work in turns, by network: one with hundreds of questions waits for itself and does not delay the others. */
export interface DnsQueue {
  /** Rejects, without running the work, when too much waits. */
  run<T>(network: string, work: () => Promise<T>): Promise<T>;
}

/** The names that this server is authoritative for. All names are in lower case without a final dot. */
export interface DnsSettings {
  /** `{label}.{challengeZone}` has the texts of its label. */
  readonly challengeZone: string;
  /** Every `{label}.{addressZone}` has the addresses. It may be the same zone. */
  readonly addressZone: string;
  /** IPv4 and IPv6 addresses of names below `addressZone` and of name servers inside one of the zones. */
  readonly addresses: readonly string[];
  /** As the parent zones delegate to them; empty means `ns.{zone}` in each zone. */
  readonly nameServers: readonly string[];
}

export interface DnsClock {
  now(): number;
}

/** Limits the connections of one network. */
export interface DnsConnectionCounts {
  /** Counts a connection until it closes; returns false when its network already has as many as it may. */
  admit(address: string | undefined, socket: Socket): boolean;
}

/** The part of the product's logger that the name server uses. */
export interface DnsLogger {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
