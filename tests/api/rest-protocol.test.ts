import { Agent, request as httpRequest } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { CLAIM_TAKEN_OVER_MS } from '#server/services/idempotency/rules.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import {
  credentialClient,
  listOf,
  objectOf,
  personClient,
  restClient,
} from '#tests/support/client/rest-client.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

async function withPerson() {
  const { app, baseUrl } = await startConsoleServer();
  const person = await createTestPerson(app);
  return { app, baseUrl, person, client: personClient(baseUrl, person) };
}

describe('addresses and methods', () => {
  it('responds with a problem document for a nonexistent address', async () => {
    const { baseUrl, client } = await withPerson();
    for (const path of ['/api/v1', '/api/v1/', '/api/v1/nothing', '/api/v1/sites/', '/api/v1/sites/%ff']) {
      const response = await client('GET', path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(objectOf(response)).toEqual({
        type: `${baseUrl}/api/v1/problems/not_found`,
        title: 'Not Found',
        status: 404,
        detail: 'Nothing was found at this address.',
        code: 'not_found',
        request_id: response.headers.get('x-request-id'),
        params: {},
        errors: [],
      });
    }
  });

  it('explains every error code at the address of its type', async () => {
    const { client } = await withPerson();
    expect(objectOf(await client('GET', '/api/v1/problems/site_name_taken'))).toMatchObject({ status: 409 });
    expect((await client('GET', '/api/v1/problems/toString')).status).toBe(404);
  });

  it('lists the methods of an address when called with another, and on OPTIONS, without allowing other origins', async () => {
    const { client } = await withPerson();
    const refused = await client('PUT', '/api/v1/sites');
    expect(refused.status).toBe(405);
    expect(refused.headers.get('allow')).toBe('GET, POST, HEAD, OPTIONS');
    expect(objectOf(refused)).toMatchObject({ code: 'method_not_allowed' });
    const unusual = await client('PROPFIND', '/api/v1/sites');
    expect([unusual.status, unusual.headers.get('allow')]).toEqual([
      405,
      'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    ]);
    expect(unusual.headers.get('x-request-id')).toBe(objectOf(unusual).request_id);
    const options = await client('OPTIONS', '/api/v1/sites/x', {
      headers: { origin: 'https://elsewhere.example' },
    });
    expect([options.status, options.text]).toEqual([204, '']);
    expect(options.headers.get('allow')).toBe('GET, PATCH, DELETE, HEAD, OPTIONS');
    expect([...options.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('responds to HEAD like GET without the body', async () => {
    const { client } = await withPerson();
    const [head, get] = [await client('HEAD', '/api/v1/sites'), await client('GET', '/api/v1/sites')];
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
    expect(head.headers.get('content-length')).toBe(String(get.text.length));
    expect((await client('HEAD', '/api/v1/sites/none')).status).toBe(404);
  });

  it('responds with 304 to a client that has it, and with the new state once it changed', async () => {
    const { client } = await withPerson();
    const first = await client('GET', '/api/v1/sites');
    const headers = { 'if-none-match': `"other", W/${first.headers.get('etag')}` };
    const same = await client('GET', '/api/v1/sites', { headers });
    expect([same.status, same.text]).toEqual([304, '']);
    expect(same.headers.get('cache-control')).toBe('private, no-cache');
    await client('POST', '/api/v1/sites', { json: { name: 'blog' } });
    expect((await client('GET', '/api/v1/sites', { headers })).status).toBe(200);
  });
});

describe('bodies', () => {
  it('accepts only JSON where JSON is expected', async () => {
    const { client } = await withPerson();
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'multipart/form-data; boundary=x' },
    ]) {
      const response = await client('POST', '/api/v1/sites', { body: '{"name":"blog"}', headers });
      expect(response.status).toBe(415);
      expect(objectOf(response)).toMatchObject({ code: 'unsupported_media_type' });
    }
    const packed = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await client('POST', '/api/v1/sites', { body: 'x', headers: packed })).status).toBe(415);
    const withCharset = { 'content-type': 'Application/JSON; charset=utf-8' };
    const taken = await client('POST', '/api/v1/sites', { body: '{"name":"blog"}', headers: withCharset });
    expect(taken.status).toBe(201);
  });

  it('rejects a name that would disappear from the manifest, instead of losing the file', async () => {
    const { client } = await withPerson();
    const site = objectOf(await client('POST', '/api/v1/sites', { json: { name: 'blog' } }));
    const file = `{"sha256":"${'0'.repeat(64)}","size":1}`;
    const response = await client('POST', `/api/v1/sites/${site.id}/versions`, {
      body: `{"files":{"index.html":${file},"__proto__":${file}}}`,
      headers: { 'content-type': 'application/json' },
    });
    expect([response.status, objectOf(response).code]).toEqual([400, 'invalid_input']);
  });

  it('lists the invalid fields', async () => {
    const { client } = await withPerson();
    const response = await client('POST', '/api/v1/credentials', {
      json: { name: 'CI', scopes: [{ resource_id: '' }] },
    });
    expect(response.status).toBe(400);
    const problem = objectOf(response);
    expect(problem).toMatchObject({ code: 'invalid_input' });
    expect(problem.errors).toEqual(
      expect.arrayContaining([expect.objectContaining({ path: 'scopes.0.permissions' })]),
    );
    const broken = await client('POST', '/api/v1/sites', {
      body: '{"name":',
      headers: { 'content-type': 'application/json' },
    });
    expect(objectOf(broken)).toMatchObject({ code: 'invalid_input', status: 400 });
  });

  it('rejects JSON over the limit, announced or not, and still responds', async () => {
    const { client } = await withPerson();
    const json = JSON.stringify({ name: 'x'.repeat(1024 ** 2) });
    const headers = { 'content-type': 'application/json' };
    const announced = await client('POST', '/api/v1/sites', { body: json, headers });
    const streamed = await client('POST', '/api/v1/sites', {
      body: new Blob([json, json]).stream(),
      headers,
    });
    for (const response of [announced, streamed]) {
      expect(response.status).toBe(413);
      expect(objectOf(response)).toMatchObject({ code: 'limit_body_bytes', params: { limit: 1024 ** 2 } });
    }
  });
});

describe('a connection', () => {
  it('can be used for the next request after a body was rejected before its end', async () => {
    const { baseUrl, person } = await withPerson();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<unknown>();
    const send = (path: string, body: Buffer | null) =>
      new Promise<number>((resolve, reject) => {
        const headers = {
          cookie: person.sessionCookie,
          origin: baseUrl,
          'content-type': 'application/json',
          // Without a length, nothing can be rejected before some of it was read.
          ...(body ? { 'transfer-encoding': 'chunked' } : {}),
        };
        const request = httpRequest(new URL(path, baseUrl), {
          method: body ? 'POST' : 'GET',
          headers,
          agent,
        });
        request.on('response', (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode ?? 0));
        });
        request.on('error', reject);
        request.on('socket', (socket) => sockets.add(socket));
        request.end(body);
      });
    try {
      const statuses = await Promise.all([
        send('/api/v1/sites', Buffer.alloc(30_000_000, 32)),
        send('/api/v1/sites', null),
      ]);
      expect(statuses).toEqual([413, 200]);
      expect(sockets.size).toBe(1);
    } finally {
      agent.destroy();
    }
  });
});

describe('authentication', () => {
  it('is required, with a challenge that opens no browser dialog', async () => {
    const { baseUrl } = await withPerson();
    const response = await restClient(baseUrl)('GET', '/api/v1/sites');
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="api"');
    expect(objectOf(response)).toMatchObject({ code: 'unauthenticated' });
  });

  it('accepts a credential as Basic and as Bearer, and rejects a wrong one even with a cookie', async () => {
    const { baseUrl, person } = await withPerson();
    const { publicKey, secretKey, authorization } = await credentialClient(baseUrl, person.context, []);
    const ask = async (value: string, cookie = '') =>
      (await restClient(baseUrl, { authorization: value, cookie })('GET', '/api/v1/sites')).status;
    expect(await ask(authorization)).toBe(200);
    expect(await ask(`Bearer ${publicKey}:${secretKey}`)).toBe(200);
    expect(await ask(`Bearer ${publicKey}:${secretKey}x`, person.sessionCookie)).toBe(401);
    expect(await ask(`Bearer ${secretKey}`, person.sessionCookie)).toBe(401);
  });

  it('refuses writes by cookie from another origin', async () => {
    const { baseUrl, person } = await withPerson();
    const origins: Record<string, string>[] = [
      { origin: 'https://elsewhere.example' },
      { 'sec-fetch-site': 'cross-site' },
      {},
    ];
    for (const headers of origins) {
      const foreign = restClient(baseUrl, { cookie: person.sessionCookie, ...headers });
      const response = await foreign('POST', '/api/v1/sites', { json: { name: 'blog' } });
      expect(response.status).toBe(403);
      expect(objectOf(response)).toMatchObject({ code: 'cross_site_request' });
    }
  });

  it('selects the organization of the header, else the stored one, and never a foreign one', async () => {
    const { app, baseUrl, person, client } = await withPerson();
    const stranger = await createTestPerson(app);
    await client('POST', '/api/v1/sites', { json: { name: 'mine' } });
    const own = personClient(baseUrl, person, person.organization.id);
    expect(listOf(await own('GET', '/api/v1/sites'))).toHaveLength(1);
    const foreign = await personClient(baseUrl, person, stranger.organization.id)('GET', '/api/v1/sites');
    expect([foreign.status, objectOf(foreign).code]).toEqual([404, 'organization_not_found']);
    const credential = await credentialClient(baseUrl, person.context, []);
    const lying = { headers: { 'portage-organization': stranger.organization.id } };
    expect((await credential.client('GET', '/api/v1/sites', lying)).status).toBe(404);
  });

  it('says when to come back once the limit is exceeded', async () => {
    const { app, client } = await withPerson();
    app.rateLimits = createRateLimits({ api_principal: { points: 2, seconds: 60 } });
    await client('GET', '/api/v1/sites');
    await client('GET', '/api/v1/sites');
    const response = await client('GET', '/api/v1/sites');
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(objectOf(response)).toMatchObject({ code: 'too_many_requests' });
  });
});

describe('Idempotency-Key', () => {
  it('runs a write once and repeats its response, including the secret', async () => {
    const { app, client } = await withPerson();
    const options = { json: { name: 'CI' }, headers: { 'idempotency-key': 'abc' } };
    const first = await client('POST', '/api/v1/credentials', options);
    const second = await client('POST', '/api/v1/credentials', options);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(listOf(await client('GET', '/api/v1/credentials'))).toHaveLength(1);
    const stored = await app.db.selectFrom('idempotency_keys').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(objectOf(first).secret_key);
  });

  it('rejects the key for another request and allows a failed one to be retried', async () => {
    const { client } = await withPerson();
    const headers = { 'idempotency-key': 'abc' };
    const send = (name: string) => client('POST', '/api/v1/sites', { json: { name }, headers });
    expect((await send('www')).status).toBe(409);
    expect((await send('blog')).status).toBe(201);
    const other = await send('other');
    expect([other.status, objectOf(other).code]).toEqual([409, 'idempotency_key_reused']);
    expect(
      (await client('POST', '/api/v1/sites', { json: {}, headers: { 'idempotency-key': 'é' } })).status,
    ).toBe(400);
  });

  it('does not run a write again whose response was lost after it had changed something', async () => {
    const { app, client } = await withPerson();
    const options = { json: { name: 'blog' }, headers: { 'idempotency-key': 'abc' } };
    const seal = vi.spyOn(app.sealer, 'seal').mockImplementation(() => {
      throw new Error('the process ended');
    });
    expect((await client('POST', '/api/v1/sites', options)).status).toBe(201);
    seal.mockRestore();
    app.clock.advance(CLAIM_TAKEN_OVER_MS);
    const repeated = await client('POST', '/api/v1/sites', options);
    expect([repeated.status, objectOf(repeated).code]).toEqual([409, 'idempotency_outcome_unknown']);
  });

  it('allows only one of many to run at once', async () => {
    const { client } = await withPerson();
    const options = { json: { name: 'CI' }, headers: { 'idempotency-key': 'abc' } };
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => client('POST', '/api/v1/credentials', options)),
    );
    expect(listOf(await client('GET', '/api/v1/credentials'))).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expect(objectOf(response)).toMatchObject({ status: 409, code: 'idempotency_request_running' });
    }
  });

  it('belongs to the organization that the session worked in', async () => {
    const { app, client, person } = await withPerson();
    const options = { json: { name: 'CI' }, headers: { 'idempotency-key': 'abc' } };
    expect((await client('POST', '/api/v1/credentials', options)).status).toBe(201);
    const elsewhere = (await createTestPerson(app)).organization.id;
    await joinOrganization(person, elsewhere, 'admin');
    const context = { json: { organization_id: elsewhere } };
    expect((await client('POST', '/api/v1/organization/context/set', context)).status).toBe(200);
    const repeated = await client('POST', '/api/v1/credentials', options);
    expect([repeated.status, objectOf(repeated).code]).toEqual([409, 'idempotency_key_reused']);
  });

  it('belongs to one person', async () => {
    const { app, baseUrl, client } = await withPerson();
    const other = personClient(baseUrl, await createTestPerson(app));
    const headers = { 'idempotency-key': 'abc' };
    const first = await client('POST', '/api/v1/sites', { json: { name: 'one' }, headers });
    const second = await other('POST', '/api/v1/sites', { json: { name: 'two' }, headers });
    expect([objectOf(first).name, objectOf(second).name]).toEqual(['one', 'two']);
  });
});
