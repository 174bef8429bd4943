import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { credentialClient } from '#tests/support/client/rest-client.ts';
import { listenOnFreePort, startConsoleServer } from '#tests/support/server/console-server.ts';
import { runCli } from '#tests/support/server/run-cli.ts';
import { makeServerCertificate } from '#tests/support/server/server-certificate.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';

const NAME = 'console.test';
const PAIR = `Basic ${Buffer.from('runner:p@ss').toString('base64')}`;

/** Passes a request on to the console. */
function forwardTo(baseUrl: string) {
  return (request: IncomingMessage, response: ServerResponse) => {
    const { method, headers, url } = request;
    const path = new URL(url ?? '/', baseUrl);
    const forwarded = httpRequest(new URL(`${path.pathname}${path.search}`, baseUrl), { method, headers });
    forwarded.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forwarded);
  };
}

/** A console with TLS at a name that only the proxy finds, and a proxy that asks for a password. */
async function withProxy() {
  const { app, baseUrl } = await startConsoleServer();
  const person = await createTestPerson(app);
  const { publicKey, secretKey } = await credentialClient(baseUrl, person.context, []);
  const { certificate, privateKey } = await makeServerCertificate([NAME]);
  const forward = forwardTo(baseUrl);
  const secure = createSecureServer({ cert: certificate, key: privateKey }, forward);
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    secure.closeAllConnections();
    secure.close();
  });
  const { port } = secure.address() as AddressInfo;

  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.headers['proxy-authorization'] === PAIR) forward(request, response);
    else response.writeHead(407).end();
  });
  proxy.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    if (request.headers['proxy-authorization'] !== PAIR) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket]) end.on('error', () => onward.destroy());
  });
  const proxyUrl = new URL(await listenOnFreePort(proxy));
  const folder = await makeTemporaryFolder({ 'authority.pem': certificate });
  const environment = {
    PORTAGE_URL: `https://${NAME}:${port}`,
    PORTAGE_PUBLIC_KEY: publicKey,
    PORTAGE_SECRET_KEY: secretKey,
    NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
  };
  const addressWith = (user: string) => `http://${user}@${proxyUrl.host}`;
  return { environment, asked, port, addressWith };
}

describe('the command line behind a proxy', () => {
  it('reaches a console with TLS through HTTPS_PROXY, which sees only its name', async () => {
    const { environment, asked, port, addressWith } = await withProxy();
    for (const name of ['HTTPS_PROXY', 'https_proxy']) {
      const run = await runCli(['sites', 'list'], { ...environment, [name]: addressWith('runner:p%40ss') });
      expect(run).toMatchObject({ code: 0, stderr: '' });
    }
    expect(new Set(asked)).toEqual(new Set([`CONNECT ${NAME}:${port}`]));
  });

  it('reaches a console without TLS through HTTP_PROXY', async () => {
    const { environment, asked, addressWith } = await withProxy();
    const run = await runCli(['sites', 'list'], {
      ...environment,
      PORTAGE_URL: `http://${NAME}`,
      HTTP_PROXY: addressWith('runner:p%40ss'),
    });
    expect(run.code, run.stderr).toBe(0);
    expect(asked).toEqual([`GET http://${NAME}/api/v1/sites?limit=200`]);
  });

  it('names the proxy that refuses', async () => {
    const { environment, addressWith } = await withProxy();
    const run = await runCli(['sites', 'list'], { ...environment, HTTPS_PROXY: addressWith('runner:wrong') });
    expect(run.code).toBe(5);
    expect(run.stderr).toMatch(/the proxy 127\.0\.0\.1:\d+ answered 407/);
    expect(run.stderr).not.toContain('wrong');
  });

  it.each(['*', `.${NAME}`, `other.test, ${NAME}`])(
    'goes without it to what NO_PROXY lists as %s',
    async (list) => {
      const { environment, asked, addressWith } = await withProxy();
      await runCli(['sites', 'list'], {
        ...environment,
        HTTPS_PROXY: addressWith('runner:p%40ss'),
        NO_PROXY: list,
      });
      expect(asked).toEqual([]);
    },
  );

  it('never asks it for this machine', async () => {
    const { environment, asked, addressWith, port } = await withProxy();
    await runCli(['sites', 'list'], {
      ...environment,
      PORTAGE_URL: `https://localhost:${port}`,
      HTTPS_PROXY: addressWith('runner:p%40ss'),
    });
    expect(asked).toEqual([]);
  });
});
