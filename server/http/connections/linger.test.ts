import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { listenOnFreePort } from '#tests/support/server/console-server.ts';
import { lingerAfterResponse } from './linger.ts';

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** Sends a request with a body, its last one, in two parts; returns all that the server says before it ends the connection. */
async function upload(bytes: number, respond: Respond): Promise<string> {
  const server = createServer((request, response) => {
    lingerAfterResponse(request, response);
    respond(request, response);
  });
  const port = Number(new URL(await listenOnFreePort(server)).port);
  const socket = connect(port, '127.0.0.1');
  let said = '';
  socket.on('data', (data) => {
    said += data.toString('latin1');
  });
  const closed = new Promise<void>((resolve, reject) => socket.once('close', resolve).once('error', reject));
  socket.write(`PUT / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${bytes}\r\n\r\n`);
  socket.write(Buffer.alloc(bytes / 2));
  setTimeout(() => socket.write(Buffer.alloc(bytes / 2)), 50);
  await closed;
  return said;
}

it('a client that has sent everything is told that the connection ends', async () => {
  const respondToAll: Respond = (request, response) =>
    request.resume().once('end', () => response.end('all'));
  expect(await upload(2_000, respondToAll)).toMatch(
    /^HTTP\/1\.1 200 OK\r\n(.*\r\n)?Connection: close\r\n.*all$/s,
  );
});

it('a client that is still sending may end before the connection does', async () => {
  const said = await upload(2_000_000, (_, response) => response.writeHead(400).end('no'));
  expect(said).toMatch(/^HTTP\/1\.1 400 .*no\r\n0\r\n\r\n$/s);
});
