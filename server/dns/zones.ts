import { isIPv6 } from 'node:net';
import type { Query } from './parse-query.ts';
import type { DnsSettings } from './ports.ts';
import { TYPE } from './wire.ts';

/** A zone that this server is authoritative for. */
export interface Zone {
  readonly name: string;
  readonly labels: readonly string[];
  readonly nameServers: readonly string[];
  /** Names below it have the texts of their label. */
  readonly hasTexts: boolean;
  /** Names below it have the addresses. */
  readonly hasAddresses: boolean;
  /** How long others may cache that something does not exist. */
  readonly negativeTtlSeconds: number;
}

/** What this server answers from, besides the texts. */
export interface Zones {
  /** The longest name first: a zone below another one answers for itself. */
  readonly zones: readonly Zone[];
  /** Addresses of names below the address zone, encoded for records. */
  readonly ipv4: readonly Buffer[];
  readonly ipv6: readonly Buffer[];
}

const ADDRESSES_ABSENT_SECONDS = 300;

/** Returns the zones of these settings; two equal names become one zone with both contents. */
export function buildZones(settings: DnsSettings): Zones {
  const { challengeZone, addressZone, addresses, nameServers } = settings;
  const zones = [...new Set([challengeZone, addressZone])].map((name): Zone => {
    const hasTexts = name === challengeZone;
    return {
      name,
      labels: name.split('.'),
      nameServers: nameServers.length > 0 ? nameServers : [`ns.${name}`],
      hasTexts,
      hasAddresses: name === addressZone,
      // A client that asked a moment too early must see a newly published value.
      negativeTtlSeconds: hasTexts ? 0 : ADDRESSES_ABSENT_SECONDS,
    };
  });
  return {
    zones: zones.toSorted((a, b) => b.labels.length - a.labels.length),
    ipv4: addresses.filter((address) => !isIPv6(address)).map(encodeIpv4),
    ipv6: addresses.filter((address) => isIPv6(address)).map(encodeIpv6),
  };
}

/**
 * Returns the zone that a question is answered from, or null when it is not in one of ours. A question about
 * a delegation (DS) belongs to the parent zone.
 */
export function findZone(zones: Zones, query: Query): Zone | null {
  const holders = zones.zones.filter((zone) => isWithin(query.labels, zone.labels));
  const [nearest, above] = holders;
  if (query.type === TYPE.ds && nearest && above && nearest.labels.length === query.labels.length)
    return above;
  return nearest ?? null;
}

function isWithin(labels: readonly string[], suffix: readonly string[]): boolean {
  const start = labels.length - suffix.length;
  return start >= 0 && suffix.every((label, index) => labels[start + index] === label);
}

function encodeIpv4(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

/** Sixteen bytes from any spelling, including `::` and an IPv4 tail. */
function encodeIpv6(address: string): Buffer {
  const [head = '', tail] = address.split('::');
  const before = toGroups(head);
  const after = tail === undefined ? [] : toGroups(tail);
  const zeros = Array<number>(8 - before.length - after.length).fill(0);
  return Buffer.from([...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]));
}

function toGroups(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}
