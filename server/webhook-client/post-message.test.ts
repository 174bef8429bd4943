import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { App } from '#server/context.ts';
import { postMessage } from './post-message.ts';

/** Only what sending to an address needs. */
const app = { config: { webhookNetworks: ['127.0.0.0/8'] } } as unknown as App;

/** Starts a receiver that answers anything with these bytes and then a piece again and again, without an end. */
async function startEndlessReceiver(begin: string, piece: string): Promise<string> {
  const pieces = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)));
  const server = createServer((socket) => {
    const goOn = () => {
      if (!socket.destroyed) socket.write(pieces, goOn);
    };
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(begin, goOn));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const post = async (address: string) => {
  const before = process.cpuUsage();
  const attempt = await postMessage(app, address, { headers: {}, body: '{}' });
  const { user, system } = process.cpuUsage(before);
  return { attempt, workMs: (user + system) / 1000 };
};

it.each(['100 Continue', '103 Early Hints'])(
  'a response that begins with %s for ever is cut off',
  async (status) => {
    const address = await startEndlessReceiver('', `HTTP/1.1 ${status}\r\n\r\n`);
    const { attempt, workMs } = await post(address);
    expect(attempt).toMatchObject({ status: null, problem: 'connection_failed' });
    expect(workMs).toBeLessThan(1_000);
  },
);

it('a response that changes the protocol is none', async () => {
  const head = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
  const { attempt } = await post(await startEndlessReceiver(head, ' '));
  expect(attempt).toMatchObject({ status: null, problem: 'connection_failed' });
});

it('a response in pieces of one byte takes no more work than another', async () => {
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  const address = await startEndlessReceiver(head, '1\r\nx\r\n');
  const { attempt, workMs } = await post(address);
  expect(attempt).toMatchObject({ status: 200, problem: null, answer: 'x'.repeat(1_024) });
  expect(workMs).toBeLessThan(500);
});
