import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { holdEventLoop } from '#tests/support/hold-event-loop.ts';
import { boundParsing } from './bound-parsing.ts';
import { HttpDrain } from './http-drain.ts';

const GRACE_MS = 20;
/** More than the system accepts at once. */
const LARGE_BYTES = 32 * 1024 ** 2;
/** Half of it. */
const UPLOAD = 'POST / HTTP/1.1\r\nHost: example.ca\r\nContent-Length: 10\r\n\r\n01234';
const REQUEST = 'GET / HTTP/1.1\r\nHost: example.ca\r\n\r\n';

/** A request that waits for its answer. */
interface Asked {
  socket: Socket;
  request: IncomingMessage;
  answer(): void;
}

interface StartedServer {
  server: Server;
  drain: HttpDrain;
  open(): Promise<Socket>;
  /** Sends a text on a new connection, and returns its request. */
  ask(sent: string): Promise<Asked>;
}

async function startServer(): Promise<StartedServer> {
  const server = createServer((request, response) => {
    const { url } = request;
    if (url === '/begun') response.write('part');
    if (url === '/') response.end('whole');
    else if (url === '/large') response.end('x'.repeat(LARGE_BYTES));
    else server.emit('asked', () => response.end('whole'), request);
  });
  server.on('connection', boundParsing);
  const drain = new HttpDrain(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const open = async () => {
    const accepted = once(server, 'connection');
    const socket = connect(port, '127.0.0.1');
    await accepted;
    return socket;
  };
  const ask = async (sent: string) => {
    const socket = await open();
    const asked = once(server, 'asked');
    socket.write(sent);
    const [answer, request] = (await asked) as [() => void, IncomingMessage];
    return { socket, request, answer };
  };
  return { server, drain, open, ask };
}

it.each(['kept from a request', 'opened in advance'])(
  'a request within the grace period is answered on a connection %s, however late it is read',
  async (kind) => {
    const { drain, open } = await startServer();
    const socket = await open();
    if (kind === 'kept from a request') {
      socket.write(REQUEST);
      await once(socket, 'readable');
      socket.read();
    }
    const drained = drain.run(GRACE_MS);
    socket.write(REQUEST);
    holdEventLoop(3 * GRACE_MS);
    expect(await text(socket)).toContain('whole');
    await drained;
  },
);

it('connections without a request end after the grace period', async () => {
  const { drain, open } = await startServer();
  const [unused, kept] = [await open(), await open()];
  kept.write(REQUEST);
  await once(kept, 'readable');
  unused.resume();
  kept.resume();
  await drain.run(GRACE_MS);
});

it('a response that is under way at the stop says that the connection ends', async () => {
  const { drain, ask } = await startServer();
  const { socket, answer } = await ask(REQUEST.replace('/', '/slow'));
  const drained = drain.run(GRACE_MS);
  answer();
  expect(await text(socket)).toMatch(/\r\nConnection: close\r\n.*whole/s);
  await drained;
});

it('a connection whose response had begun before the stop serves one more request', async () => {
  const { drain, ask } = await startServer();
  const { socket, answer } = await ask(REQUEST.replace('/', '/begun'));
  await once(socket, 'readable');
  const drained = drain.run(GRACE_MS);
  // Longer than the grace period of idle connections.
  await sleep(3 * GRACE_MS);
  answer();
  socket.write(REQUEST);
  holdEventLoop(3 * GRACE_MS);
  expect((await text(socket)).match(/whole/g)).toHaveLength(2);
  await drained;
});

it('a response to a body that still arrives at the stop says that the connection ends', async () => {
  const { drain, ask } = await startServer();
  const { socket, answer, request } = await ask(UPLOAD.replace('/', '/slow'));
  request.resume();
  const drained = drain.run(GRACE_MS);
  socket.write('56789');
  await once(request, 'end');
  answer();
  expect(await text(socket)).toMatch(/\r\nConnection: close\r\n.*whole/s);
  await drained;
});

it('a connection whose body arrives long after its response ends with it', async () => {
  const { server, drain, open } = await startServer();
  server.keepAliveTimeout = 600_000;
  const socket = await open();
  socket.write(UPLOAD);
  await once(socket, 'readable');
  const drained = drain.run(GRACE_MS);
  await sleep(3 * GRACE_MS);
  socket.write('56789');
  socket.resume();
  await drained;
});

it('a connection that Node has answered by itself ends after the grace period', async () => {
  const { server, drain, open } = await startServer();
  server.keepAliveTimeout = 600_000;
  const socket = await open();
  socket.write(REQUEST.replace('Host', 'Expect: nothing\r\nHost'));
  await once(socket, 'readable');
  socket.resume();
  await drain.run(GRACE_MS);
});

it('a response that has been handed over whole reaches a client that reads slowly, to the last byte', async () => {
  const { drain, open } = await startServer();
  const socket = await open();
  socket.write(REQUEST.replace('/', '/large'));
  await once(socket, 'readable');
  const drained = drain.run(GRACE_MS);
  await sleep(5 * GRACE_MS);
  expect((await text(socket)).length).toBeGreaterThan(LARGE_BYTES);
  await drained;
});
