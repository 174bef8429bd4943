import { isInternet, type Query } from './parse-query.ts';
import { encodeText, FIRST_META_TYPE, RCODE, TYPE } from './wire.ts';
import { findZone, type Zone, type Zones } from './zones.ts';

/** One record of an answer. */
export interface DnsRecord {
  /** Null for the name in the question, spelled as it was asked. */
  readonly owner: string | null;
  readonly type: number;
  readonly ttlSeconds: number;
  readonly data:
    | { readonly kind: 'bytes'; readonly bytes: Buffer }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'soa'; readonly zone: Zone };
}

export interface Reply {
  readonly rcode: number;
  readonly isAuthoritative: boolean;
  /** The zone that the answer comes from; null when it is not one of ours. */
  readonly zone: Zone | null;
  readonly answers: readonly DnsRecord[];
  readonly authorities: readonly DnsRecord[];
  /** May be dropped when there is no room. */
  readonly additionals: readonly DnsRecord[];
}

/** How to handle a question: answer it now, or look up the texts of a label and then answer. */
export type Intent =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | {
      readonly kind: 'texts';
      readonly label: string;
      /** The reply once the texts are known; null means that the label does not exist. */
      readonly complete: (texts: readonly string[] | null) => Reply;
    };

const ZONE_TTL_SECONDS = 3600;
const ADDRESS_TTL_SECONDS = 300;
/** Texts change from one second to the next and must not be cached. */
const TEXT_TTL_SECONDS = 0;
/** The characters of our own names; nothing else is looked up. */
const LABEL = /^[a-z0-9-]+$/;
/** RFC 8482: one small record instead of all of them. */
const HINFO = Buffer.concat([encodeText('RFC8482'), encodeText('')]);

/** Returns how to answer a question. It depends on the zones alone, and not on sockets, limits or the database. */
export function decide(query: Query, zones: Zones): Intent {
  const zone = isInternet(query) ? findZone(zones, query) : null;
  if (zone === null || query.type === TYPE.axfr || query.type === TYPE.ixfr)
    return replied(refuse(RCODE.refused));
  if (query.type >= FIRST_META_TYPE && query.type < TYPE.any) return replied(refuse(RCODE.notImplemented));

  const below = query.labels.slice(0, query.labels.length - zone.labels.length);
  const [label = ''] = below;
  if (below.length === 0) return replied(describeApex(zone, query, zones));
  // A label may contain a dot; no name here does.
  const name = below.some((part) => part.includes('.')) ? '' : query.labels.join('.');
  if (zone.nameServers.includes(name)) return replied(found(zone, query, describeAddresses(zones)));
  // A name without records of its own exists when a name below it does.
  const isAbove = zone.nameServers.some((nameServer) => nameServer.endsWith(`.${name}`));
  const nothing = absent(zone, isAbove ? RCODE.noError : RCODE.unknownName);
  if (below.length > 1) return replied(nothing);
  const addresses = zone.hasAddresses ? describeAddresses(zones) : [];
  // Addresses are known without a lookup; only a text, or whether the name exists at all, is not.
  const needsTexts = zone.hasTexts && LABEL.test(label) && (query.type === TYPE.txt || !zone.hasAddresses);
  if (!needsTexts) return replied(zone.hasAddresses ? found(zone, query, addresses) : nothing);
  const complete = (texts: readonly string[] | null) =>
    texts === null && !zone.hasAddresses
      ? nothing
      : found(zone, query, [...(texts ?? []).map(describeText), ...addresses]);
  return { kind: 'texts', label, complete };
}

/** A reply without records: the question is not for one of our zones, or cannot be answered now. */
export function refuse(rcode: number): Reply {
  return { rcode, isAuthoritative: false, zone: null, answers: [], authorities: [], additionals: [] };
}

function replied(reply: Reply): Intent {
  return { kind: 'reply', reply };
}

/** Returns the records of the requested type at a name that exists. */
function found(zone: Zone, query: Query, records: readonly DnsRecord[]): Reply {
  const answers =
    query.type === TYPE.any
      ? [bytesRecord(TYPE.hinfo, zone.hasTexts ? TEXT_TTL_SECONDS : ADDRESS_TTL_SECONDS, HINFO)]
      : records.filter(({ type }) => type === query.type);
  if (answers.length === 0) return absent(zone, RCODE.noError);
  return { rcode: RCODE.noError, isAuthoritative: true, zone, answers, authorities: [], additionals: [] };
}

/** The reply that a name or record does not exist, with the record that says how long to cache that. */
function absent(zone: Zone, rcode: number): Reply {
  const soa = soaRecord(zone.name, zone.negativeTtlSeconds, zone);
  return { rcode, isAuthoritative: true, zone, answers: [], authorities: [soa], additionals: [] };
}

/** The top of a zone; its name servers come with their addresses if those are in one of our zones. */
function describeApex(zone: Zone, query: Query, zones: Zones): Reply {
  const nameServers = zone.nameServers.map(
    (name): DnsRecord => ({
      owner: null,
      type: TYPE.ns,
      ttlSeconds: ZONE_TTL_SECONDS,
      data: { kind: 'name', name },
    }),
  );
  const reply = found(zone, query, [soaRecord(null, ZONE_TTL_SECONDS, zone), ...nameServers]);
  if (query.type !== TYPE.ns) return reply;
  const inside = zone.nameServers.filter((nameServer) => nameServer.endsWith(`.${zone.name}`));
  const additionals = inside.flatMap((owner) =>
    describeAddresses(zones).map((record) => ({ ...record, owner })),
  );
  return { ...reply, additionals };
}

function describeAddresses({ ipv4, ipv6 }: Zones): DnsRecord[] {
  return [
    ...ipv4.map((bytes) => bytesRecord(TYPE.a, ADDRESS_TTL_SECONDS, bytes)),
    ...ipv6.map((bytes) => bytesRecord(TYPE.aaaa, ADDRESS_TTL_SECONDS, bytes)),
  ];
}

function describeText(text: string): DnsRecord {
  return bytesRecord(TYPE.txt, TEXT_TTL_SECONDS, encodeText(text));
}

function bytesRecord(type: number, ttlSeconds: number, bytes: Buffer): DnsRecord {
  return { owner: null, type, ttlSeconds, data: { kind: 'bytes', bytes } };
}

function soaRecord(owner: string | null, ttlSeconds: number, zone: Zone): DnsRecord {
  return { owner, type: TYPE.soa, ttlSeconds, data: { kind: 'soa', zone } };
}
