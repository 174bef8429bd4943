import { createTRPCClient, httpBatchLink, httpBatchStreamLink, TRPCClientError } from '@trpc/client';
import superjson from 'superjson';
import { describe, expect, it } from 'vitest';
import type { ErrorShape } from '#server/error-codes.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import type { AppRouter } from '#server/routers/app-router.ts';
import { statusOfErrors, toTrpcError } from '#server/routers/trpc.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { credentialClient } from '#tests/support/client/rest-client.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

const clientOf = (baseUrl: string, headers: Record<string, string>) =>
  createTRPCClient<AppRouter>({
    links: [httpBatchLink({ url: `${baseUrl}/api/trpc`, transformer: superjson, headers })],
  });

/** What an internal tool reads from a refusal: our code, and the HTTP status. */
async function refusal(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (caught: unknown) => caught,
  );
  if (!(error instanceof TRPCClientError)) throw new Error(`not a tRPC error: ${String(error)}`);
  const { data } = error as TRPCClientError<AppRouter>;
  return { code: data?.error.code, status: data?.httpStatus, requestId: data?.error.request_id };
}

/** The response to one call of a batch. */
interface Outcome {
  error?: { json: { data: { httpStatus: number; error: ErrorShape } } };
}

describe('the tRPC surface', () => {
  it('serves a signed-in person', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const person = await createTestPerson(app);
    const client = clientOf(baseUrl, { cookie: person.sessionCookie, origin: baseUrl });
    expect((await client.user.me.query()).id).toBe(person.user.id);
  });

  it('reports a wrong credential in tRPC’s format', async () => {
    const { baseUrl } = await startConsoleServer();
    const client = clientOf(baseUrl, { authorization: 'Bearer ptgpk_none:ptgsk_none' });
    expect(await refusal(client.user.me.query())).toMatchObject({ code: 'credential_invalid', status: 401 });
  });

  it('refuses a mutation from a foreign page in tRPC’s format', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const person = await createTestPerson(app);
    const client = clientOf(baseUrl, { cookie: person.sessionCookie, origin: 'https://evil.example' });
    const mutation = client.user.updateSettings.mutate({ language_preference: 'fr-CA' });
    expect(await refusal(mutation)).toMatchObject({ code: 'cross_site_request', status: 403 });
  });

  it('includes the request id in a refusal, and an unknown procedure is not found', async () => {
    const { baseUrl } = await startConsoleServer();
    expect(await refusal(clientOf(baseUrl, {}).user.me.query())).toMatchObject({
      code: 'unauthenticated',
      status: 401,
      requestId: expect.stringMatching(/^[0-9a-z]{26}$/),
    });
    const response = await fetch(`${baseUrl}/api/trpc/nothing.here`);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('not_found');
  });

  it('counts each call of a batch, and says when to come back', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const [person, other] = [await createTestPerson(app), await createTestPerson(app)];
    app.rateLimits = createRateLimits({ api_principal: { points: 3, seconds: 60 } });
    const client = clientOf(baseUrl, { cookie: person.sessionCookie });
    await Promise.all([client.user.me.query(), client.user.sessions.query()]);
    const over = await Promise.allSettled([client.user.me.query(), client.user.sessions.query()]);
    expect(over.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await refusal(client.user.me.query())).toMatchObject({ code: 'too_many_requests', status: 429 });

    const response = await fetch(`${baseUrl}/api/trpc/user.me`, {
      headers: { cookie: person.sessionCookie },
    });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    const rest = await fetch(`${baseUrl}/api/v1/user`, { headers: { cookie: person.sessionCookie } });
    expect(rest.status, 'both surfaces count together').toBe(429);
    expect((await clientOf(baseUrl, { cookie: other.sessionCookie }).user.me.query()).id).toBe(other.user.id);
    const names = Array.from({ length: 4 }, () => 'user.me').join(',');
    const streamed = await fetch(`${baseUrl}/api/trpc/${names}?a=?&batch=1`, {
      headers: { cookie: other.sessionCookie, 'trpc-accept': 'application/jsonl' },
    });
    expect(streamed.status, 'a batch is one behind any address').toBe(429);
  });

  it('rejects a batch that is too large', async () => {
    const { baseUrl } = await startConsoleServer();
    const names = Array.from({ length: 51 }, () => 'user.me').join(',');
    expect((await fetch(`${baseUrl}/api/trpc/${names}?batch=1`)).status).toBe(400);
  });

  it('answers each call of a batch separately, in its position and with its own status', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const { organization, sessionCookie } = await createTestPerson(app);
    const client = clientOf(baseUrl, { cookie: sessionCookie, origin: baseUrl });
    const [sites, foreign, wrong] = await Promise.allSettled([
      client.sites.list.query({ organization_id: organization.id }),
      client.sites.list.query({ organization_id: newId() }),
      client.sites.list.query({ organization_id: organization.id, limit: -1 }),
    ]);
    expect(sites).toMatchObject({ status: 'fulfilled', value: { items: [] } });
    expect(foreign).toMatchObject({ reason: { data: { error: { code: 'organization_not_found' } } } });
    expect(wrong).toMatchObject({ reason: { data: { error: { code: 'invalid_input' } } } });
    const names = 'user.me,nothing.here,user.updateSettings';
    const response = await fetch(`${baseUrl}/api/trpc/${names}?batch=1`, {
      headers: { cookie: sessionCookie },
    });
    expect(response.status).toBe(207);
    const codes = ((await response.json()) as Outcome[]).map(
      ({ error }) => error && [error.json.data.httpStatus, error.json.data.error.code],
    );
    expect(codes).toEqual([undefined, [404, 'not_found'], [405, 'method_not_allowed']]);
  });

  it('calls mutations by POST only, and queries by GET only', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const { sessionCookie, user } = await createTestPerson(app);
    const headers = { cookie: sessionCookie, origin: baseUrl, 'content-type': 'application/json' };
    const input = JSON.stringify({ json: { language_preference: 'fr-CA' } });
    const ask = async (method: string, path: string, body?: string) => {
      const response = await fetch(`${baseUrl}/api/trpc/${path}`, { method, headers, ...(body && { body }) });
      return [response.status, response.headers.get('allow')];
    };
    const reading = await ask('GET', `user.updateSettings?input=${encodeURIComponent(input)}`);
    expect(reading).toEqual([405, 'POST']);
    expect(await ask('POST', 'user.me', '{}')).toEqual([405, 'GET']);
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      expect([method, ...(await ask(method, 'user.me', '{}'))]).toEqual([method, 405, 'GET, POST']);
    }
    expect(await ask('PUT', 'user.updateSettings', input)).toEqual([405, 'GET, POST']);
    const me = await clientOf(baseUrl, headers).user.me.query();
    expect(me.id).toBe(user.id);
    expect(me.language_preference).not.toBe('fr-CA');
  });

  it('refuses a parameter that appears twice, of which only one would count', async () => {
    const { baseUrl } = await startConsoleServer();
    for (const name of ['input', 'batch']) {
      const response = await fetch(`${baseUrl}/api/trpc/user.me?${name}=1&${name}=1`);
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringContaining(`${name}: appears twice`),
      ]);
    }
  });

  it('answers a batch call by call when a client requests a stream', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const person = await createTestPerson(app);
    const link = httpBatchStreamLink({
      url: `${baseUrl}/api/trpc`,
      transformer: superjson,
      headers: { cookie: person.sessionCookie },
    });
    const client = createTRPCClient<AppRouter>({ links: [link] });
    const [me, sessions] = await Promise.all([client.user.me.query(), client.user.sessions.query()]);
    expect([me.id, sessions.length]).toEqual([person.user.id, 1]);
  });

  it('does not accept keys in a query', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const person = await createTestPerson(app);
    const { publicKey, secretKey } = await credentialClient(baseUrl, person.context, []);
    const query = new URLSearchParams({
      authorization: `Bearer ${publicKey}:${secretKey}`,
      access_token: `${publicKey}:${secretKey}`,
      public_key: publicKey,
      secret_key: secretKey,
    });
    for (const path of ['/api/trpc/user.me', '/api/v1/sites', '/api/v1/user']) {
      expect([path, (await fetch(`${baseUrl}${path}?${query}`)).status]).toEqual([path, 401]);
    }
  });

  it('responds with 507 for a full disk, like REST', () => {
    expect(statusOfErrors([toTrpcError(new AppError('storage_full'))])).toBe(507);
    expect(statusOfErrors([toTrpcError(new AppError('conflict'))])).toBeUndefined();
  });
});
