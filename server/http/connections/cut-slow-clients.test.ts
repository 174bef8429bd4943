import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { cutSlowClients } from './cut-slow-clients.ts';
import { listen } from './http-listener.ts';

const WINDOW_MS = 300;
const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n';

async function start(server: Server): Promise<{ port: number; cuts: string[] }> {
  const cuts: string[] = [];
  cutSlowClients(server, (awaited) => cuts.push(awaited), {
    sendingMs: WINDOW_MS,
    takingMs: 5 * WINDOW_MS,
    bytesMin: 1000,
  });
  onTestFinished(() => void server.close());
  onTestFinished(() => server.closeAllConnections());
  return { port: await listen(server, 0, '127.0.0.1'), cuts };
}

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Sends a chunk repeatedly until the connection closes or `times` is reached; returns how often it could. */
async function sendEvery(ms: number, socket: Socket, piece: string, times: number): Promise<number> {
  for (let sent = 0; sent < times; sent += 1) {
    if (socket.destroyed || !socket.writable) return sent;
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
  return times;
}

it('a body that drips is cut; one that is slow but steady arrives', async () => {
  const server = createServer((request, response) => {
    request
      .on('error', () => undefined)
      .resume()
      .on('end', () => response.end('all'));
  });
  const { port, cuts } = await start(server);
  const [dripping, slow] = [open(port), open(port)];
  dripping.write(HEAD);
  slow.write(HEAD);
  const [drips, pieces] = await Promise.all([
    sendEvery(50, dripping, 'x', 100),
    sendEvery(50, slow, 'x'.repeat(2_000), 30),
  ]);
  expect(drips).toBeLessThan(100);
  expect(pieces).toBe(30);
  expect(cuts).toEqual(['sending']);
});

it('a client that reads nothing of a large response is cut; one that reads it slowly gets all of it', async () => {
  const size = 32 * 1024 ** 2;
  const answer = Buffer.alloc(size);
  const server = createServer((_, response) => response.end(answer));
  const { port, cuts } = await start(server);
  const silent = open(port);
  silent.pause();
  silent.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const reader = open(port);
  let taken = 0;
  const done = new Promise<void>((resolve) => {
    reader.on('data', (chunk: Buffer) => {
      taken += chunk.length;
      reader.pause();
      setImmediate(() => reader.resume());
      if (taken > size) resolve();
    });
    reader.on('close', resolve);
  });
  reader.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await done;
  expect(taken).toBeGreaterThan(size);
  await expect.poll(() => cuts, { timeout: 20_000 }).toEqual(['taking']);
});

it('no client is cut while the server is the slow one', async () => {
  const server = createServer((request, response) => {
    // Reads nothing for several windows.
    setTimeout(() => request.resume().on('end', () => response.end('late')), 5 * WINDOW_MS);
  });
  const { port, cuts } = await start(server);
  const socket = open(port);
  socket.write(HEAD);
  socket.write('x'.repeat(1_000_000));
  const answer = await new Promise<string>((resolve) => {
    socket.once('data', (chunk) => resolve(chunk.toString())).once('close', () => resolve('closed'));
  });
  expect(answer).toContain('late');
  expect(cuts).toEqual([]);
});
