import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client';
import superjson from 'superjson';
import { describe, expect, it } from 'vitest';
import { AppError } from '#server/errors.ts';
import { createRateLimits } from '#server/rate-limits.ts';
import type { AppRouter } from '#server/routers/app-router.ts';
import { statusOfErrors, toTrpcError } from '#server/routers/trpc.ts';
import { startConsoleServer } from '#tests/support/console-server.ts';
import { credentialClient } from '#tests/support/rest-client.ts';
import { createTestPerson } from '#tests/support/sign-in.ts';

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

describe('the tRPC door', () => {
  it('answers a signed-in person', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const person = await createTestPerson(app);
    const client = clientOf(baseUrl, { cookie: person.sessionCookie, origin: baseUrl });
    expect((await client.user.me.query()).id).toBe(person.user.id);
  });

  it('tells a tool in its own terms that a credential is wrong', async () => {
    const { baseUrl } = await startConsoleServer();
    const client = clientOf(baseUrl, { authorization: 'Bearer ptgpk_none:ptgsk_none' });
    expect(await refusal(client.user.me.query())).toMatchObject({ code: 'credential_invalid', status: 401 });
  });

  it('refuses a mutation from a foreign page in its own terms', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const person = await createTestPerson(app);
    const client = clientOf(baseUrl, { cookie: person.sessionCookie, origin: 'https://evil.example' });
    const mutation = client.user.updateSettings.mutate({ language_preference: 'fr-CA' });
    expect(await refusal(mutation)).toMatchObject({ code: 'cross_site_request', status: 403 });
  });

  it('names the request of a refusal, and an unknown procedure is not found', async () => {
    const { baseUrl } = await startConsoleServer();
    expect(await refusal(clientOf(baseUrl, {}).user.me.query())).toMatchObject({
      code: 'unauthenticated',
      status: 401,
      requestId: expect.stringMatching(/^[0-9a-z]{26}$/),
    });
    const answer = await fetch(`${baseUrl}/api/trpc/nothing.here`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('not_found');
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

    const answer = await fetch(`${baseUrl}/api/trpc/user.me`, { headers: { cookie: person.sessionCookie } });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    const rest = await fetch(`${baseUrl}/api/v1/user`, { headers: { cookie: person.sessionCookie } });
    expect(rest.status, 'both doors count together').toBe(429);
    expect((await clientOf(baseUrl, { cookie: other.sessionCookie }).user.me.query()).id).toBe(other.user.id);
  });

  it('refuses a batch that is too large', async () => {
    const { baseUrl } = await startConsoleServer();
    const names = Array.from({ length: 51 }, () => 'user.me').join(',');
    expect((await fetch(`${baseUrl}/api/trpc/${names}?batch=1`)).status).toBe(400);
  });

  it('lets nobody in by the address: keys in a query are no keys', async () => {
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

  it('says 507 for a full disk, as REST does', () => {
    expect(statusOfErrors([toTrpcError(new AppError('storage_full'))])).toBe(507);
    expect(statusOfErrors([toTrpcError(new AppError('conflict'))])).toBeUndefined();
  });
});
