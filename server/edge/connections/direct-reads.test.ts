import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { connect as connectSecure, createServer as createSecureServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { makeFallbackCertificate } from '../tls/fallback-certificate.ts';
import { acceptPlainSockets, lastingBytes, readDirectly, readThroughSocket } from './direct-reads.ts';

const ends: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Returns both ends of a connection to a server that passes the accepted one with this event. */
async function connectTo(server: Server, event: string, reach: (port: number) => Socket) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const accepted = once(server, event);
  const client = reach((server.address() as AddressInfo).port);
  const [socket] = (await accepted) as [Socket];
  ends.push(
    () => server.close(),
    () => socket.destroy(),
    () => client.destroy(),
  );
  return { client, socket };
}

const kinds = {
  async plain() {
    const server = createServer();
    server.removeAllListeners('connection');
    acceptPlainSockets(server);
    return connectTo(server, 'connection', (port) => connect(port, '127.0.0.1'));
  },
  async TLS() {
    const { chain: cert, privateKey: key } = await makeFallbackCertificate(['example.ca']);
    const server = createSecureServer({ cert, key });
    const reach = (port: number) => connectSecure({ port, host: '127.0.0.1', rejectUnauthorized: false });
    return connectTo(server, 'secureConnection', reach);
  },
};

describe.each(Object.entries(kinds))('a %s connection', (_, open) => {
  it('is read into one buffer, which the next read overwrites', async () => {
    const { client, socket } = await open();
    const chunks: { bytes: Buffer; lasting: Buffer }[] = [];
    expect(readDirectly(socket, (bytes) => chunks.push({ bytes, lasting: lastingBytes(bytes) }))).toBe(true);
    for (const [index, text] of ['one', 'two'].entries()) {
      client.write(text);
      await expect.poll(() => chunks.length).toBe(index + 1);
    }
    expect(chunks.map(({ lasting }) => lasting.toString())).toEqual(['one', 'two']);
    expect(chunks.map(({ bytes }) => bytes.toString())).toEqual(['two', 'two']);
  });

  it('goes on through the socket, byte for byte, where that is asked for', async () => {
    const { client, socket } = await open();
    let first = '';
    readDirectly(socket, (bytes) => {
      first += bytes;
    });
    client.write('first');
    await expect.poll(() => first).toBe('first');
    expect(readThroughSocket(socket)).toBe(true);
    const sent = Buffer.alloc(300_000, 'after ');
    client.end(sent);
    const rest: Buffer[] = [];
    for await (const chunk of socket) rest.push(chunk);
    expect(Buffer.concat(rest).equals(sent)).toBe(true);
    expect(first).toBe('first');
  });

  it('that ends says so', async () => {
    const { client, socket } = await open();
    readDirectly(socket, () => undefined);
    const ended = once(socket, 'end');
    client.end('last');
    await ended;
  });
});

it('a socket that a program has connected itself is left as it is', () => {
  const socket = connect(1, '127.0.0.1').on('error', () => undefined);
  expect(readDirectly(socket, () => undefined)).toBe(false);
  expect(readThroughSocket(socket)).toBe(false);
  socket.destroy();
});
