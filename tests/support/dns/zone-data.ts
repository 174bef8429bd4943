import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import {
  type Answer,
  type CaaData,
  decode,
  encode,
  type Packet,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  type RecordType,
  TRUNCATED_RESPONSE,
} from 'dns-packet';
import type { FakeRecords } from './fake-lookup.ts';

const TTL_SECONDS = 0;
const RCODE = { noError: 0, serverFailure: 2, unknownName: 3 } as const;
const STEPS_MAX = 10;
const FORWARD_TIMEOUT_MS = 2_000;
/** The most that a character string of a TXT record can contain. */
const TEXT_PART = /[\s\S]{1,255}/g;

/** The records of names, and whom to query for those it does not have. Names are case-insensitive. */
export class ZoneData {
  private readonly records = new Map<string, FakeRecords>();
  private readonly forwards = new Map<string, string>();

  set(name: string, records: FakeRecords): void {
    this.records.set(plain(name), records);
  }

  delete(name: string): void {
    this.records.delete(plain(name));
  }

  forward(suffix: string, address: string): void {
    this.forwards.set(plain(suffix), address);
  }

  find(name: string): FakeRecords | undefined {
    return this.records.get(plain(name));
  }

  /** A name that only has names below it also exists. */
  exists(name: string): boolean {
    return (
      this.records.has(plain(name)) || [...this.records.keys()].some((key) => key.endsWith(`.${plain(name)}`))
    );
  }

  /** The server for the longest suffix of the name; that for the empty one has no say about zones that are here. */
  serverFor(name: string): string | undefined {
    const parents = this.parents(name);
    const suffix = parents.find((parent) => this.forwards.has(parent));
    if (suffix !== undefined) return this.forwards.get(suffix);
    return parents.some((parent) => this.records.get(parent)?.soa) ? undefined : this.forwards.get('');
  }

  /** The start of authority in a negative response about this name. */
  authorityOf(name: string): Answer {
    const parents = this.parents(name);
    const zone = parents.find((parent) => this.records.get(parent)?.soa) ?? parents.at(-2) ?? plain(name);
    return soa(zone, this.records.get(zone)?.soa ?? `ns1.${zone}`);
  }

  private parents(name: string): string[] {
    const labels = plain(name).split('.');
    return labels.map((_, index) => labels.slice(index).join('.'));
  }
}

/** Returns a recursive resolver's response to this query, or null when it stays silent. */
export async function resolveFrom(data: ZoneData, query: Packet): Promise<Packet | null> {
  const [question] = query.questions ?? [];
  if (!question) return null;
  const hasOpt = query.additionals?.some(({ type }) => type === 'OPT');
  const reply = (rcode: number, answers: Answer[], authorities: Answer[] = []): Packet => ({
    type: 'response',
    id: query.id,
    flags: ((query.flags ?? 0) & RECURSION_DESIRED) | RECURSION_AVAILABLE | rcode,
    questions: [question],
    answers,
    authorities,
    additionals: hasOpt ? [OPT] : [],
  });
  const chain: Answer[] = [];
  let name = question.name;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const server = data.serverFor(name);
    if (server) {
      const told = await askServer(server, name, question.type);
      if (!told) return reply(RCODE.serverFailure, []);
      return reply(told.rcode, [...chain, ...told.answers], told.authorities);
    }
    const records = data.find(name);
    if (records?.failure === 'timeout') return null;
    if (records?.failure === 'failed') return reply(RCODE.serverFailure, []);
    const found = records ? listRecords(name, question.type, records) : [];
    if (found.length > 0) return reply(RCODE.noError, [...chain, ...found]);
    if (!records?.cname) {
      const rcode = data.exists(name) ? RCODE.noError : RCODE.unknownName;
      return reply(rcode, chain, [data.authorityOf(name)]);
    }
    chain.push({ type: 'CNAME', name, ttl: TTL_SECONDS, data: records.cname });
    name = records.cname;
  }
  return reply(RCODE.serverFailure, []);
}

function listRecords(name: string, type: RecordType, records: FakeRecords): Answer[] {
  const common = { name, ttl: TTL_SECONDS };
  if (type === 'CNAME') return records.cname ? [{ ...common, type, data: records.cname }] : [];
  if (records.cname) return [];
  if (type === 'A') return (records.ipv4 ?? []).map((data) => ({ ...common, type, data }));
  if (type === 'AAAA') return (records.ipv6 ?? []).map((data) => ({ ...common, type, data }));
  if (type === 'TXT') {
    return (records.txt ?? []).map((text) => ({ ...common, type, data: text.match(TEXT_PART) ?? [''] }));
  }
  if (type === 'CAA') {
    return (records.caa ?? []).map(({ isCritical, tag, value }) => ({
      ...common,
      type,
      data: { issuerCritical: isCritical, tag: toTag(tag), value },
    }));
  }
  if (type === 'SOA') return records.soa ? [soa(name, records.soa)] : [];
  return [];
}

/** The codec accepts any tag; only its types are limited to three. */
function toTag(tag: string): CaaData['tag'] {
  return tag as CaaData['tag'];
}

function soa(zone: string, primary: string): Answer {
  const times = { serial: 1, refresh: 3600, retry: 600, expire: 86_400, minimum: TTL_SECONDS };
  return {
    type: 'SOA',
    name: zone,
    ttl: TTL_SECONDS,
    data: { mname: primary, rname: `hostmaster.${zone}`, ...times },
  };
}

const OPT: Answer = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: 1232,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

interface Told {
  rcode: number;
  answers: Answer[];
  authorities: Answer[];
}

/** By udp, and by tcp when the response does not fit. */
async function askServer(address: string, name: string, type: RecordType): Promise<Told | null> {
  const [host = '', port = ''] = address.split(':');
  const query = encode({
    type: 'query',
    id: Math.floor(Math.random() * 65_536),
    questions: [{ name, type }],
  });
  const short = await exchangeOverUdp(host, Number(port), query);
  if (!short) return null;
  const reply =
    (short.flags ?? 0) & TRUNCATED_RESPONSE ? await exchangeOverTcp(host, Number(port), query) : short;
  if (!reply) return null;
  const rcode = (reply.flags ?? 0) & 0xf;
  if (rcode !== RCODE.noError && rcode !== RCODE.unknownName) return null;
  return { rcode, answers: reply.answers ?? [], authorities: reply.authorities ?? [] };
}

function exchangeOverUdp(host: string, port: number, query: Buffer): Promise<Packet | null> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    const end = (reply: Packet | null) => {
      clearTimeout(timer);
      socket.close();
      resolve(reply);
    };
    const timer = setTimeout(() => end(null), FORWARD_TIMEOUT_MS);
    socket.on('error', () => end(null));
    socket.on('message', (bytes) => end(decode(bytes)));
    socket.send(query, port, host);
  });
}

function exchangeOverTcp(host: string, port: number, query: Buffer): Promise<Packet | null> {
  return new Promise((resolve) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(query.length);
    const connection = connect(port, host, () => connection.write(Buffer.concat([length, query])));
    connection.setTimeout(FORWARD_TIMEOUT_MS, () => connection.destroy());
    let received = Buffer.alloc(0);
    connection.on('error', () => undefined);
    connection.on('close', () => resolve(null));
    connection.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      resolve(decode(received.subarray(2, 2 + received.readUInt16BE(0))));
      connection.destroy();
    });
  });
}

function plain(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
