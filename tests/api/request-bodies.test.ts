import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

const MIB = 1024 ** 2;

interface Answer {
  head: string;
  body: string;
  /** How many bytes the server accepted. */
  taken: number;
}

/**
 * Sends a head and then an endless body, as fast as it is accepted, until the connection closes or the
 * response arrives.
 */
function sendWithoutEnd(
  baseUrl: string,
  head: string[],
  filler: string,
  bytesMax = 64 * MIB,
): Promise<Answer> {
  const { port, host } = new URL(baseUrl);
  const chunk = Buffer.from(filler.repeat(Math.ceil(65_536 / filler.length)));
  const isChunked = head.some((line) => /^transfer-encoding/i.test(line));
  const piece = isChunked
    ? Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')])
    : chunk;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    let received = '';
    const finish = () => {
      const [response = '', body = ''] = received.split('\r\n\r\n', 2);
      resolve({ head: response, body, taken: socket.bytesWritten - socket.writableLength });
      socket.destroy();
    };
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
      if (/\r\n\r\n[\s\S]*\}/.test(received)) finish();
    });
    socket.on('error', (error) => (received === '' ? reject(error) : finish())).on('close', finish);
    socket.write(`${[...head, `Host: ${host}`, '', ''].join('\r\n')}`);
    const send = () => {
      while (socket.writable && socket.bytesWritten < bytesMax) if (!socket.write(piece)) break;
      if (socket.writable && socket.bytesWritten < bytesMax) socket.once('drain', send);
    };
    send();
  });
}

const JSON_TYPE = 'Content-Type: application/json';

it.each([
  ['a procedure', 'POST /api/trpc/organizations.acceptInvitation', JSON_TYPE],
  ['the API', 'POST /api/v1/credentials', JSON_TYPE],
  ['sign-in', 'POST /auth/backchannel-logout', 'Content-Type: application/x-www-form-urlencoded'],
  ['the identity service', 'POST /identity/interaction/x/login', JSON_TYPE],
  ['the token endpoint', 'POST /identity/token', 'Content-Type: application/x-www-form-urlencoded'],
  ['a page', 'POST /login', JSON_TYPE],
  ['a server function', 'POST /_serverFn/x', JSON_TYPE],
  ['health', 'POST /healthz', JSON_TYPE],
  ['a page that is read', 'GET /login', JSON_TYPE],
])(
  'a body of 400 MB at %s is rejected before it is read, and the client can read why',
  async (_, line, type) => {
    const { baseUrl } = await startConsoleServer();
    const announced = `Content-Length: ${400 * MIB}`;
    const { head, body } = await sendWithoutEnd(
      baseUrl,
      [`${line} HTTP/1.1`, type, announced, `Origin: ${baseUrl}`],
      '[],',
    );
    expect(head).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(body).not.toBe('');
  },
);

it('a procedure called without a sign-in accepts 16 KB however the body is sent, and reports it in tRPC’s format', async () => {
  const { baseUrl } = await startConsoleServer();
  const post = 'POST /api/trpc/organizations.acceptInvitation HTTP/1.1';
  for (const framing of [`Content-Length: ${400 * MIB}`, 'Transfer-Encoding: chunked']) {
    const { head, body } = await sendWithoutEnd(baseUrl, [post, JSON_TYPE, framing], '[],');
    expect(head).toMatch(/^HTTP\/1\.1 413 /);
    expect(body).toContain('"code":"limit_body_bytes"');
    expect(body).toContain('"limit":16384');
  }
});

it('a signed-in person may send more, but not without end', async () => {
  const { app, baseUrl } = await startConsoleServer();
  const person = await createTestPerson(app);
  const post = (bytes: number) =>
    fetch(`${baseUrl}/api/trpc/user.updateSettings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: person.sessionCookie, origin: baseUrl },
      body: JSON.stringify({ json: { language_preference: 'fr-CA', unknown: 'x'.repeat(bytes) } }),
    });
  expect((await post(200 * 1024)).status).toBe(200);
  expect((await post(300 * 1024)).status).toBe(413);
});

it.each([
  ['deeply nested', '['.repeat(5_000)],
  ['full of empty values', `[${'[],'.repeat(5_000)}[]]`],
])(
  'a body that is %s is rejected before it is parsed, on every surface that accepts JSON',
  async (_, body) => {
    const { app, baseUrl } = await startConsoleServer();
    const person = await createTestPerson(app);
    const headers = { 'content-type': 'application/json', cookie: person.sessionCookie, origin: baseUrl };
    const refused = { status: 400, text: expect.stringMatching(/nested deeper|too many values/) };
    for (const [method, path] of [
      ['POST', '/api/trpc/user.updateSettings'],
      ['POST', '/api/v1/organizations'],
      ['PUT', '/identity/profile'],
    ] as const) {
      const response = await fetch(`${baseUrl}${path}`, { method, headers, body });
      expect({ status: response.status, text: await response.text() }, path).toMatchObject(refused);
    }
    const address = `${baseUrl}/api/trpc/user.me?input=${encodeURIComponent(body.slice(0, 4_000))}`;
    const read = await fetch(address, { headers });
    expect({ status: read.status, text: await read.text() }).toMatchObject(refused);
  },
);

it('a compressed body is rejected on every surface', async () => {
  const { baseUrl } = await startConsoleServer();
  for (const path of [
    '/api/trpc/user.updateSettings',
    '/api/v1/credentials',
    '/identity/token',
    '/auth/logout',
  ]) {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const response = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body: '{}' });
    expect(response.status, path).toBe(415);
  }
});

it('a client that asks before sending is told immediately that the body is too large', async () => {
  const { baseUrl } = await startConsoleServer();
  const outcome = await new Promise<number | string>((resolve, reject) => {
    const request = httpRequest(`${baseUrl}/login`, {
      method: 'POST',
      headers: { 'content-length': 400 * MIB, expect: '100-continue' },
    });
    request.on('continue', () => resolve('asked for the body'));
    request.on('response', ({ statusCode = 0 }) => resolve(statusCode));
    request.on('error', reject).flushHeaders();
  });
  expect(outcome).toBe(413);
});
