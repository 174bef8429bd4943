import { once } from 'node:events';
import { createServer, IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { listenOnFreePort } from '#tests/support/server/console-server.ts';
import { limitRequestsAhead } from './limit-requests-ahead.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Returns a connection to a server with the limit, what it received, and the requests that were let through. */
async function open(answer: (response: ServerResponse) => void) {
  const seen = { parsed: 0, requests: 0, text: '' };
  class CountedRequest extends IncomingMessage {
    constructor(socket: Socket) {
      super(socket);
      seen.parsed += 1;
    }
  }
  const server = createServer({ IncomingMessage: CountedRequest }, (_, response) => {
    seen.requests += 1;
    answer(response);
  });
  limitRequestsAhead(server, 4);
  const socket = connect(Number(new URL(await listenOnFreePort(server)).port), '127.0.0.1');
  socket.on('data', (chunk: Buffer) => {
    seen.text += chunk.toString();
  });
  await once(socket, 'connect');
  return { socket, seen };
}

/** Resolves when the connection is gone, whether it was ended or reset. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

it('a client that sends many requests ahead gets some responses, the last of which says that it ends', async () => {
  const { socket, seen } = await open((response) => setImmediate(() => response.end('yes')));
  socket.write(REQUEST.repeat(50));
  await closed(socket);
  expect(seen.requests).toBe(4);
  expect(seen.text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(4);
  expect(seen.text.match(/connection: close/gi)).toHaveLength(1);
});

it('requests that get no response are not parsed either', async () => {
  const { socket, seen } = await open((response) => setImmediate(() => response.end('yes')));
  socket.write(REQUEST.repeat(1_000));
  await closed(socket);
  expect(seen.parsed).toBeLessThanOrEqual(5);
});

it.each([
  ['without a host', 'GET / HTTP/1.1\r\n\r\n'],
  ['with an unknown expectation', 'GET / HTTP/1.1\r\nHost: localhost\r\nExpect: much\r\n\r\n'],
])('a client whose requests %s come by the hundred is disconnected', async (_, request) => {
  const { socket, seen } = await open((response) => response.end('yes'));
  socket.on('error', () => undefined);
  socket.write(request.repeat(1_000));
  await closed(socket);
  expect(seen.parsed).toBeLessThanOrEqual(65);
});

it('a client that sends requests without end is disconnected, however long its responses take', async () => {
  const { socket, seen } = await open(() => undefined);
  socket.on('error', () => undefined);
  socket.write(REQUEST.repeat(10_000));
  await closed(socket);
  expect(seen.requests).toBe(4);
});

it('a client that waits for its responses may send any number of requests on its connection', async () => {
  const { socket, seen } = await open((response) => response.end('yes'));
  for (let count = 1; count <= 100; count += 1) {
    socket.write(REQUEST);
    await expect.poll(() => seen.text.match(/HTTP\/1\.1 200 OK/g)?.length, { interval: 1 }).toBe(count);
  }
  expect(seen.text).not.toMatch(/connection: close/i);
  socket.destroy();
});
