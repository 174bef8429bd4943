import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { decode, encode, type Packet, TRUNCATED_RESPONSE } from 'dns-packet';
import type { FakeRecords } from './fake-lookup.ts';
import { resolveFrom, ZoneData } from './zone-data.ts';

/**
 * The public DNS as presented by a recursive resolver: real udp and tcp on this machine, over the records of
 * a test.
 */
export interface ZoneServer {
  /** `127.0.0.1:port`, for DNS_RESOLVERS and for programs that accept a resolver. */
  address: string;
  port: number;
  /** Every received query, as `{type} {name}` in lower case. */
  readonly asked: string[];
  /** Sets the records of a name; `failure` makes every query for it end in SERVFAIL or without a response. */
  set(name: string, records: FakeRecords): void;
  delete(name: string): void;
  /**
   * Queries the name server at `address` (`127.0.0.1:port`) for every name at and below `suffix`, and returns
   * its responses; with an empty suffix, for every name outside the zones that have a `soa` here.
   */
  forward(suffix: string, address: string): void;
  close(): Promise<void>;
}

/**
 * Starts a resolver that knows only what it is told. Aliases are followed, and the chain is in the response.
 */
export async function startZoneServer(): Promise<ZoneServer> {
  const data = new ZoneData();
  const asked: string[] = [];
  const answer = async (question: Buffer): Promise<Packet | null> => {
    const query = readQuery(question);
    if (!query) return null;
    const [asking] = query.questions ?? [];
    if (asking) asked.push(`${asking.type} ${asking.name.toLowerCase()}`);
    return resolveFrom(data, query);
  };
  const { udp, tcp, port } = await listenOnBoth();
  const connections = new Set<Socket>();
  udp.on('message', async (question, peer) => {
    const reply = await answer(question);
    if (!reply) return;
    const bytes = encode(reply);
    const fits = bytes.length <= payloadSizeOf(question);
    udp.send(fits ? bytes : encode(truncated(reply)), peer.port, peer.address);
  });
  tcp.on('connection', (connection) => {
    connections.add(connection);
    connection.on('error', () => undefined);
    connection.on('close', () => connections.delete(connection));
    let received = Buffer.alloc(0);
    connection.on('data', async (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        const question = received.subarray(2, end);
        received = received.subarray(end);
        const reply = await answer(question);
        if (reply && !connection.destroyed) connection.write(withLength(encode(reply)));
      }
    });
  });
  return {
    address: `127.0.0.1:${port}`,
    port,
    asked,
    set: (name, records) => data.set(name, records),
    delete: (name) => data.delete(name),
    forward: (suffix, address) => data.forward(suffix, address),
    async close() {
      for (const connection of connections) connection.destroy();
      await Promise.all([
        new Promise<void>((resolve) => udp.close(() => resolve())),
        new Promise<void>((resolve) => tcp.close(() => resolve())),
      ]);
    },
  };
}

function readQuery(bytes: Buffer): Packet | null {
  try {
    const packet = decode(bytes);
    return packet.type === 'query' && packet.questions?.length === 1 ? packet : null;
  } catch {
    return null;
  }
}

function payloadSizeOf(question: Buffer): number {
  const opt = decode(question).additionals?.find((record) => record.type === 'OPT');
  return Math.max(512, opt?.type === 'OPT' ? opt.udpPayloadSize : 512);
}

function truncated(reply: Packet): Packet {
  return { ...reply, flags: (reply.flags ?? 0) | TRUNCATED_RESPONSE, answers: [], authorities: [] };
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** One port for udp and tcp, free on both. */
async function listenOnBoth(): Promise<{ udp: UdpSocket; tcp: Server; port: number }> {
  const ATTEMPTS = 20;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const tcp = createServer();
    tcp.listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    const bound = tcp.address();
    const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
    const udp = createSocket('udp4');
    try {
      await new Promise<void>((resolve, reject) => {
        udp.once('error', reject);
        udp.bind(port, '127.0.0.1', () => resolve());
      });
      udp.removeAllListeners('error');
      udp.on('error', () => undefined);
      return { udp, tcp, port };
    } catch {
      udp.close();
      await new Promise<void>((resolve) => tcp.close(() => resolve()));
    }
  }
  throw new Error('no port is free on udp and tcp');
}
