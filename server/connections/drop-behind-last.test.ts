import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { listenOnFreePort } from '#tests/support/server/console-server.ts';
import { boundParsing } from './bound-parsing.ts';
import { dropBehindLast } from './drop-behind-last.ts';

/** Sends this to a server that answers after a while, and returns all that it says until it ends the connection. */
async function say(bytes: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    setTimeout(() => response.end(request.url), 20);
  });
  server.on('connection', boundParsing);
  dropBehindLast(server);
  const port = Number(new URL(await listenOnFreePort(server)).port);
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  let said = '';
  socket.on('data', (data) => {
    said += data.toString('latin1');
  });
  socket.write(bytes);
  await new Promise((resolve) => socket.once('close', resolve));
  return said;
}

const request = (path: string, head = '', version = '1.1') =>
  `GET ${path} HTTP/${version}\r\nHost: localhost\r\n${head}\r\n`;
const last = request('/last', 'Connection: close\r\n');
const withBody = `${request('/last', 'Connection: close\r\nContent-Length: 3\r\n')}all`;

it.each([
  ['another request', last + request('/more')],
  ['bytes that are no request', `${last}\0`],
  ['another request, behind a body', withBody + request('/more')],
  ['another request, of HTTP/1.0', request('/last', '', '1.0') + request('/more')],
])('the last request of a connection is answered when %s follows it', async (_, bytes) => {
  const said = await say(bytes);
  expect(said).toMatch(/^HTTP\/1\.1 200 .*\/last/s);
  expect(said).not.toMatch(/400|\/more/);
});

it('requests before the last one are answered too', async () => {
  const said = await say(request('/first') + last + request('/more'));
  expect(said.match(/HTTP\/1\.1 \d+|\/first|\/last|\/more/g)).toEqual([
    'HTTP/1.1 200',
    '/first',
    'HTTP/1.1 200',
    '/last',
  ]);
});

it('who goes on sending behind the last request is disconnected', async () => {
  expect(await say(last + 'x'.repeat(1024 ** 2))).not.toContain('400');
});

it('what is no request at all is refused', async () => {
  expect(await say('\0')).toMatch(/^HTTP\/1\.1 400 /);
});
