import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

/**
 * Sends bytes and returns the status line of the response, or an empty text when the connection is closed
 * instead.
 */
function ask(baseUrl: string, head: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
    let received = '';
    const finish = () => {
      resolve(received.split('\r\n', 1)[0] ?? '');
      socket.destroy();
    };
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
      if (received.includes('\r\n')) finish();
    });
    socket.on('error', finish).on('close', finish);
    socket.write(head);
  });
}

it.each([
  ['a port that no host has', 'GET /login HTTP/1.1', 'Host: x:99999'],
  ['the same at the API', 'GET /api/v1/user HTTP/1.1', 'Host: x:99999'],
  ['the same at a procedure', 'GET /api/trpc/user.me HTTP/1.1', 'Host: x:99999'],
  [
    'the same at the identity service',
    'GET /identity/.well-known/openid-configuration HTTP/1.1',
    'Host: x:99999',
  ],
  ['the same at sign-in', 'GET /auth/login HTTP/1.1', 'Host: x:99999'],
  ['a host with a path', 'GET / HTTP/1.1', 'Host: x/y'],
  ['a host of escapes', 'GET / HTTP/1.1', `Host: a${'%CC%95'.repeat(1_000)}`],
  ['a host of blanks and brackets', 'GET / HTTP/1.1', 'Host: [[ ]'],
  ['an escape without digits', 'GET /api/trpc/% HTTP/1.1', 'Host: x'],
  ['an escape that is no text', 'GET /api/trpc/%ff HTTP/1.1', 'Host: x'],
  ['the same in a batch', 'GET /api/trpc/%ff,user.me?batch=1 HTTP/1.1', 'Host: x'],
  ['an input that is no JSON', 'GET /api/trpc/user.me?input={ HTTP/1.1', 'Host: x'],
  ['connection parameters that are none', 'GET /api/trpc/user.me?connectionParams=[ HTTP/1.1', 'Host: x'],
  ['an escape in the API', 'GET /api/v1/sites/%ff HTTP/1.1', 'Host: x'],
  ['an escape in a page', 'GET /%ff/sites HTTP/1.1', 'Host: x'],
  ['an escape at the identity service', 'GET /identity/%ff HTTP/1.1', 'Host: x'],
  ['a server function', 'GET /_serverFn/x HTTP/1.1', 'Host: x'],
  ['a server function that is called', 'POST /_serverFn/x HTTP/1.1', 'Host: x'],
  ['TRACE', 'TRACE /login HTTP/1.1', 'Host: x'],
  ['a whole address that is none', 'GET http://x:99999/login HTTP/1.1', 'Host: x'],
  ['a whole address of another kind', 'GET ftp://x/login HTTP/1.1', 'Host: x'],
  ['an address without a slash', 'GET login HTTP/1.1', 'Host: x'],
  ['two slashes', 'GET //evil.example/%2e%2e HTTP/1.1', 'Host: x'],
  ['a language without end', 'GET /login HTTP/1.1', `Accept-Language: ${'a,'.repeat(2_000)}`],
  ['a cookie that is none', 'GET /login HTTP/1.1', 'Cookie: =;;%ff=%;session'],
  ['a range of nothing', 'GET /login HTTP/1.1', 'Range: bytes=-'],
])('%s never causes an internal error', async (_, line, header) => {
  const { baseUrl } = await startConsoleServer();
  const host = header.startsWith('Host:') ? '' : 'Host: x\r\n';
  const response = await ask(baseUrl, `${line}\r\n${host}${header}\r\nConnection: close\r\n\r\n`);
  expect(response).toMatch(/^(HTTP\/1\.1 [234]\d\d .*)?$/);
});

it.each([
  ['a page', '/login'],
  ['the API', '/api/v1/openapi.json'],
  ['the identity service', '/identity/.well-known/openid-configuration'],
])('%s is served at its address, whatever fragment a client sends', async (_, path) => {
  const { baseUrl } = await startConsoleServer();
  const head = `GET ${path}#x?y HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
  expect(await ask(baseUrl, head)).toMatch(/^HTTP\/1\.1 200 /);
});

it('a page is served for the person of the cookie, whatever the Authorization header', async () => {
  const { app, baseUrl } = await startConsoleServer();
  const { sessionCookie } = await createTestPerson(app);
  for (const authorization of ['Bearer x:y', 'Basic eDp5', 'Nonsense', 'Bearer ptgop_x']) {
    const response = await fetch(`${baseUrl}/login`, { headers: { authorization, cookie: sessionCookie } });
    expect(response.status, authorization).toBe(200);
  }
});
