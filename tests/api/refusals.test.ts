import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createLogger } from '#server/logging/logger.ts';
import { createOperatorToken } from '#server/services/operator/create-operator-token.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { credentialClient } from '#tests/support/client/rest-client.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

/** Starts the console with a log that the test reads. */
async function prepare() {
  const lines: string[] = [];
  const logger = createLogger('debug', { write: (line: string) => lines.push(line) });
  const { app, baseUrl } = await startConsoleServer({ logger });
  const person = await createTestPerson(app);
  const credential = await credentialClient(baseUrl, person.context, []);
  const events = () => lines.map((line): Record<string, unknown> => JSON.parse(line));
  return {
    app,
    baseUrl,
    person,
    credential,
    lines,
    warnings: () => events().filter(({ level }) => level === 40),
  };
}

/** Sends a request with exactly the given headers, which fetch would not do. */
function send(address: string, headers: string[], method = 'GET'): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      address,
      { method, headers: ['Host', new URL(address).host, ...headers] },
      (response) => {
        text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

describe('a refused request', () => {
  it('is logged with its origin, on every surface, without what was presented', async () => {
    const { baseUrl, person, credential, lines, warnings } = await prepare();
    const wrong = `${credential.publicKey}:${credential.secretKey}x`;
    const authorization = `Bearer ${wrong}`;
    const foreign = {
      cookie: person.sessionCookie,
      origin: 'https://evil.example',
      'content-type': 'application/json',
    };
    await fetch(`${baseUrl}/api/v1/sites?note=private`, { headers: { authorization } });
    await fetch(`${baseUrl}/api/trpc/user.me`, { headers: { authorization } });
    await fetch(`${baseUrl}/api/v1/sites`, { method: 'POST', headers: foreign, body: '{"name":"x"}' });
    await fetch(`${baseUrl}/api/trpc/user.updateSettings`, { method: 'POST', headers: foreign, body: '{}' });
    await fetch(`${baseUrl}/auth/logout`, { method: 'POST', headers: foreign });
    expect(warnings().filter(({ msg }) => msg === 'request refused')).toEqual([
      expect.objectContaining({ code: 'credential_invalid', path: '/api/v1/sites', address: '127.0.0.1' }),
      expect.objectContaining({ code: 'credential_invalid', path: '/api/trpc', method: 'GET' }),
      expect.objectContaining({ code: 'cross_site_request', path: '/api/v1/sites', method: 'POST' }),
      expect.objectContaining({ code: 'cross_site_request', path: '/api/trpc', method: 'POST' }),
      expect.objectContaining({ code: 'cross_site_request', path: '/auth/logout' }),
    ]);
    const log = lines.join('');
    const secrets = [
      credential.secretKey,
      credential.publicKey,
      person.sessionCookie.split('=')[1] ?? '',
      'private',
    ];
    for (const secret of secrets) expect(log).not.toContain(secret);
  });

  it('is a problem document for credentials in odd encodings, and never an internal error', async () => {
    const { baseUrl, credential } = await prepare();
    const base64 = (pair: string) => Buffer.from(pair).toString('base64');
    const { publicKey, secretKey } = credential;
    const odd = [
      `Basic ${base64(`${publicKey}\u0000:${secretKey}`)}`,
      `Basic ${base64(`${publicKey}é:${secretKey}`)}`,
      `Basic ${base64(`${publicKey}:${secretKey}:`)}`,
      `Basic ${base64(`${publicKey}`)}`,
      `Basic ${publicKey}:${secretKey}`,
      `Bearer ${publicKey}:`,
      `Bearer ${'x'.repeat(8000)}:y`,
      `Digest username="${publicKey}"`,
      'Basic',
    ];
    for (const authorization of odd) {
      const response = await send(`${baseUrl}/api/v1/sites`, ['Authorization', authorization]);
      expect([authorization.slice(0, 40), response.status]).toEqual([authorization.slice(0, 40), 401]);
      expect(JSON.parse(response.body)).toMatchObject({ code: 'credential_invalid' });
    }
    const urlSafe = Buffer.from(`${publicKey}:${secretKey}`).toString('base64url');
    expect((await send(`${baseUrl}/api/v1/sites`, ['authorization', `basic ${urlSafe}`])).status).toBe(200);
  });

  it('has one Authorization header: with two, neither counts', async () => {
    const { baseUrl, credential } = await prepare();
    const two = ['Authorization', credential.authorization, 'authorization', 'Bearer a:b'];
    for (const path of ['/api/v1/sites', '/api/trpc/user.me']) {
      const response = await send(`${baseUrl}${path}`, two);
      expect([response.status, response.body]).toEqual([
        400,
        expect.stringContaining('one Authorization header'),
      ]);
    }
  });

  it('has one Host header: with two, neither counts', async () => {
    const { baseUrl } = await prepare();
    const second = ['host', 'other.test'];
    for (const path of ['/', '/api/v1/sites', '/api/trpc/user.me', '/auth/login']) {
      const response = await send(`${baseUrl}${path}`, second);
      expect([path, response.status]).toEqual([path, 400]);
    }
  });

  it('has headers of a limited size, and each of them once', async () => {
    const { baseUrl, credential } = await prepare();
    const own = ['Authorization', credential.authorization];
    const huge = await send(`${baseUrl}/api/v1/sites`, [...own, 'X-Large', 'x'.repeat(17 * 1024)]);
    expect(huge.status).toBe(431);
    const organizations = ['Portage-Organization', 'a', 'Portage-Organization', 'b'];
    expect((await send(`${baseUrl}/api/v1/sites`, [...own, ...organizations])).status).toBe(404);
    const keys = ['Idempotency-Key', 'a', 'Idempotency-Key', 'b', 'Content-Type', 'application/json'];
    expect((await send(`${baseUrl}/api/v1/sites`, [...own, ...keys], 'POST')).status).toBe(400);
  });

  it('from an operator who names no organization says which header is missing', async () => {
    const { app, baseUrl, person } = await prepare();
    const { token } = await createOperatorToken(operatorContext(app), { name: 'tool' });
    const own = ['Authorization', `Bearer ${token}`];
    const refused = await send(`${baseUrl}/api/v1/sites`, own);
    expect([refused.status, refused.body]).toEqual([400, expect.stringContaining('Portage-Organization')]);
    const inside = [...own, 'Portage-Organization', person.organization.id];
    expect((await send(`${baseUrl}/api/v1/sites`, inside)).status).toBe(200);
  });
});
