import type { Socket } from 'node:net';

/** All that the name server needs from the rest of the product. */
export interface DnsPorts {
  /**
   * The texts of a label below the challenge zone, in lower case; none while it has no value, null for a label that does
   * not exist. A rejected promise means "cannot say now" and is answered so: nobody may take it for an absence.
   */
  findTexts(label: string): Promise<readonly string[] | null>;
}

/** The names that this server speaks for. All names are in lower case without a final dot. */
export interface DnsSettings {
  /** `{label}.{challengeZone}` has the texts of its label. */
  readonly challengeZone: string;
  /** Every `{label}.{addressZone}` has the addresses. It may be the same zone. */
  readonly addressZone: string;
  /** IPv4 and IPv6, of names below `addressZone` and of name servers that lie in one of the zones. */
  readonly addresses: readonly string[];
  /** As the parent zones delegate to them; empty means `ns.{zone}` in each zone. */
  readonly nameServers: readonly string[];
}

export interface DnsClock {
  now(): number;
}

/** Bounds the connections that one network holds. */
export interface DnsConnectionCounts {
  /** Counts a connection in until it closes; false when its network holds as many as it may. */
  admit(address: string | undefined, socket: Socket): boolean;
}

/** The part of the product's logger that the name server uses. */
export interface DnsLogger {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
