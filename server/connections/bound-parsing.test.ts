import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { listenOnFreePort } from '#tests/support/server/console-server.ts';
import { boundParsing } from './bound-parsing.ts';

const HEAD = 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';

/** Returns a connection that has begun a body in chunks, and what the server has taken of it. */
async function beginBody(read: (request: IncomingMessage) => void = (request) => void request.resume()) {
  const seen = { bytes: 0, chunks: 0, mostInTurn: 0, isWhole: false };
  let inTurn = 0;
  const server = createServer((request, response) => {
    request.on('error', () => undefined);
    request.on('end', () => {
      seen.isWhole = true;
      response.end('all');
    });
    const push = request.push.bind(request);
    request.push = (chunk: Buffer | null) => {
      if (chunk === null) return push(chunk);
      seen.bytes += chunk.length;
      seen.chunks += 1;
      if (inTurn === 0) setImmediate(() => setImmediate(() => (inTurn = 0)));
      inTurn += 1;
      seen.mostInTurn = Math.max(seen.mostInTurn, inTurn);
      return push(chunk);
    };
    read(request);
  });
  server.on('connection', boundParsing);
  const port = Number(new URL(await listenOnFreePort(server)).port);
  const open = async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(HEAD);
    return socket;
  };
  return { open, seen };
}

function chunksOf(length: number, count: number): string {
  return `${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`.repeat(count);
}

/** Resolves when the connection is gone, whether it was ended or reset. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

it('a body of which every byte is a chunk is not parsed to its end: the client is disconnected', async () => {
  const { open, seen } = await beginBody();
  const socket = await open();
  socket.write(chunksOf(1, 100_000));
  await closed(socket);
  expect(seen.chunks).toBe(1_000);
});

it('a body that nobody reads is no different', async () => {
  const { open, seen } = await beginBody(() => undefined);
  const socket = await open();
  socket.write(chunksOf(1, 100_000));
  await closed(socket);
  expect(seen.chunks).toBe(1_000);
});

it('what a program writes line by line arrives whole, however much it is', async () => {
  const { open, seen } = await beginBody();
  const socket = await open();
  socket.write(`${chunksOf(20, 100_000)}0\r\n\r\n`);
  await once(socket, 'data');
  expect(seen).toMatchObject({ bytes: 2_000_000, isWhole: true });
  socket.destroy();
});

it('a few short chunks are allowed, in each of many requests', async () => {
  const { open, seen } = await beginBody();
  const socket = await open();
  for (let count = 0; count < 5; count += 1) {
    if (count > 0) socket.write(HEAD);
    socket.write(`${chunksOf(1, 900)}0\r\n\r\n`);
    await once(socket, 'data');
  }
  expect(seen.bytes).toBe(4_500);
  socket.destroy();
});

it('one read at a time is taken of bodies in short chunks', async () => {
  const { open, seen } = await beginBody();
  const sockets = await Promise.all(Array.from({ length: 5 }, open));
  for (const socket of sockets) socket.write(`${chunksOf(20, 50_000)}0\r\n\r\n`);
  await Promise.all(sockets.map((socket) => once(socket, 'data')));
  expect(seen.bytes).toBe(5_000_000);
  // The first read of each connection may come in one turn; a read holds 2,730 of these chunks.
  expect(seen.mostInTurn).toBeLessThan(6 * 2_800);
  for (const socket of sockets) socket.destroy();
});
