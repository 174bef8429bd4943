import { describe, expect, it } from 'vitest';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import {
  credentialClient,
  personClient,
  type RestResponse,
  restClient,
} from '#tests/support/client/rest-client.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

async function prepare() {
  const { app, baseUrl } = await startConsoleServer();
  const person = await createTestPerson(app);
  app.rateLimits = createRateLimits({
    api_principal: { points: 3, seconds: 60 },
    api_upload_principal: { points: 9, seconds: 30 },
    changes_organization: { points: 1, seconds: 3600 },
  });
  return { app, baseUrl, person, client: personClient(baseUrl, person) };
}

/**
 * Parses a list of structured fields whose items are names with integers (RFC 9651): the format of both
 * headers.
 */
function readItems(header: string | null): Record<string, Record<string, number>> {
  const items = (header ?? '').split(', ').map((item) => {
    const [, name = '', parameters = ''] = /^"(\w+)"((?:;[a-z]=\d+)+)$/.exec(item) ?? [];
    const pairs = [...parameters.matchAll(/([a-z])=(\d+)/g)].map(([, key, value]) => [key, Number(value)]);
    return [name, Object.fromEntries(pairs)];
  });
  return Object.fromEntries(items);
}

const limitsOf = ({ headers }: Pick<RestResponse, 'headers'>) => ({
  policy: readItems(headers.get('ratelimit-policy')),
  state: readItems(headers.get('ratelimit')),
});

describe('RateLimit and RateLimit-Policy', () => {
  it('count down with each REST request, even a failed one, until it is refused', async () => {
    const { client } = await prepare();
    for (const [path, status, left] of [
      ['/api/v1/sites', 200, 2],
      ['/api/v1/sites/none', 404, 1],
      ['/api/v1/user', 200, 0],
      ['/api/v1/user', 429, 0],
    ] as const) {
      const response = await client('GET', path);
      expect([path, response.status]).toEqual([path, status]);
      const { policy, state } = limitsOf(response);
      expect(policy).toEqual({ api_principal: { q: 3, w: 60 } });
      expect(state).toEqual({ api_principal: { r: left, t: expect.toSatisfy((t) => t > 55 && t <= 60) } });
      if (status === 429) expect(response.headers.get('retry-after')).toBe(String(state.api_principal?.t));
    }
    expect(limitsOf(await client('HEAD', '/api/v1/sites')).state).toMatchObject({ api_principal: { r: 0 } });
  });

  it('are part of a 304 response and one without a body', async () => {
    const { client } = await prepare();
    const { headers } = await client('GET', '/api/v1/user');
    const known = await client('GET', '/api/v1/user', {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });
    expect(known.status).toBe(304);
    expect(limitsOf(known).state).toMatchObject({ api_principal: { r: 1 } });
  });

  it('name the limit that an upload counts against', async () => {
    const { person, client } = await prepare();
    const site = await createSite(person.context, { name: 'blog' });
    const path = `/api/v1/sites/${site.id}/versions/none/blobs/${'a'.repeat(64)}`;
    const response = await client('PUT', path, {
      body: 'x',
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(response.status).toBe(404);
    expect(limitsOf(response)).toMatchObject({
      policy: { api_upload_principal: { q: 9, w: 30 } },
      state: { api_upload_principal: { r: 8 } },
    });
  });

  it('add the limit that refused a request to the one that it was counted against', async () => {
    const { client } = await prepare();
    expect((await client('POST', '/api/v1/sites', { json: { name: 'one' } })).status).toBe(201);
    const refused = await client('POST', '/api/v1/sites', { json: { name: 'two' } });
    expect(refused.status).toBe(429);
    expect(limitsOf(refused)).toMatchObject({
      policy: { api_principal: { q: 3, w: 60 }, changes_organization: { q: 1, w: 3600 } },
      state: { api_principal: { r: 1 }, changes_organization: { r: 0 } },
    });
  });

  it('count every call of a tRPC batch, streamed or not, and are part of its refusal', async () => {
    const { baseUrl, person } = await prepare();
    const client = restClient(baseUrl, { cookie: person.sessionCookie });
    const batch = '/api/trpc/user.me,user.me?batch=1';
    const first = await client('GET', batch);
    expect([first.status, limitsOf(first).policy]).toEqual([200, { api_principal: { q: 3, w: 60 } }]);
    expect(limitsOf(first).state).toMatchObject({ api_principal: { r: 1 } });
    const streamed = await client('GET', '/api/trpc/user.me?batch=1', {
      headers: { 'trpc-accept': 'application/jsonl' },
    });
    expect([streamed.status, limitsOf(streamed).state]).toMatchObject([200, { api_principal: { r: 0 } }]);
    const refused = await client('GET', batch);
    expect(refused.status).toBe(429);
    expect(limitsOf(refused).state).toMatchObject({ api_principal: { r: 0 } });
    expect(refused.headers.get('retry-after')).toBe(String(limitsOf(refused).state.api_principal?.t));
  });

  it('name the limit of wrong credentials to a caller that exceeded it, and nothing before any caller was counted', async () => {
    const { app, baseUrl, person } = await prepare();
    app.rateLimits = createRateLimits({ credential_failure_key: { points: 1, seconds: 300 } });
    const { publicKey, secretKey } = await credentialClient(baseUrl, person.context, []);
    const wrongSecret = `${secretKey.slice(0, -4)}AAAA`;
    const client = restClient(baseUrl, { authorization: `Basic ${btoa(`${publicKey}:${wrongSecret}`)}` });
    const wrong = await client('GET', '/api/v1/sites');
    expect([wrong.status, wrong.headers.get('ratelimit')]).toEqual([401, null]);
    const refused = await client('GET', '/api/v1/sites');
    expect([refused.status, limitsOf(refused)]).toMatchObject([
      429,
      { policy: { credential_failure_key: { q: 1, w: 300 } }, state: { credential_failure_key: { r: 0 } } },
    ]);
  });
});
