import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { SystemPages } from './system-pages.ts';

/** No two parts of it are alike. */
const body = Buffer.alloc(300_000);
for (let at = 0; at < body.length; at += 4) body.writeUInt32LE((at * 2_654_435) % 2 ** 32, at);

test('a body in pages reaches a connection from any position, and no longer once they are closed', async () => {
  const pages = SystemPages.hold(body);
  if (pages === null) throw new Error('this system has no pages for bodies');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [accepted] = (await once(server, 'connection')) as [Socket];
  const { _handle: handle } = accepted as Socket & { _handle?: { fd: number } };
  const connection = handle?.fd ?? -1;
  const chunks: Buffer[] = [];
  client.on('data', (chunk: Buffer) => chunks.push(chunk));
  let position = 100_001;
  while (position < body.length) {
    position += pages.sendTo(connection, position);
    await new Promise((resolve) => setImmediate(resolve));
  }
  pages.close();
  pages.close();
  expect(pages.sendTo(connection, 0)).toBe(0);
  accepted.end();
  await once(client, 'end');
  expect(Buffer.concat(chunks).equals(body.subarray(100_001))).toBe(true);
  server.close();
});

test('a connection that is gone takes nothing', () => {
  const pages = SystemPages.hold(body);
  expect(pages?.sendTo(-1, 0)).toBe(0);
  pages?.close();
});
