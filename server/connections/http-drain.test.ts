import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { holdEventLoop } from '#tests/support/hold-event-loop.ts';
import { boundParsing } from './bound-parsing.ts';
import { HttpDrain } from './http-drain.ts';

const GRACE_MS = 20;
const REQUEST = 'GET / HTTP/1.1\r\nHost: example.ca\r\n\r\n';

async function startServer(): Promise<{ server: Server; drain: HttpDrain; open(): Promise<Socket> }> {
  const server = createServer(({ url }, response) => {
    if (url === '/begun') response.write('part');
    if (url === '/') response.end('whole');
    else server.emit('asked', () => response.end('whole'));
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
  return { server, drain, open };
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
  const { server, drain, open } = await startServer();
  const socket = await open();
  const asked = once(server, 'asked');
  socket.write(REQUEST.replace('/', '/slow'));
  const [answer] = (await asked) as [() => void];
  const drained = drain.run(GRACE_MS);
  answer();
  expect(await text(socket)).toMatch(/\r\nConnection: close\r\n.*whole/s);
  await drained;
});

it('a connection whose response had begun before the stop serves one more request', async () => {
  const { server, drain, open } = await startServer();
  const socket = await open();
  const asked = once(server, 'asked');
  socket.write(REQUEST.replace('/', '/begun'));
  const [answer] = (await asked) as [() => void];
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
