import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client';
import superjson from 'superjson';
import { describe, expect, it } from 'vitest';
import { AppError } from '#server/errors.ts';
import type { AppRouter } from '#server/routers/app-router.ts';
import { statusOfErrors, toTrpcError } from '#server/routers/trpc.ts';
import { startConsoleServer } from '#tests/support/console-server.ts';
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

  it('says 507 for a full disk, as REST does', () => {
    expect(statusOfErrors([toTrpcError(new AppError('storage_full'))])).toBe(507);
    expect(statusOfErrors([toTrpcError(new AppError('conflict'))])).toBeUndefined();
  });
});
