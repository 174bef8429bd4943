import { createTRPCClient, httpBatchLink } from '@trpc/client';
import superjson from 'superjson';
import { describe, expect, it, vi } from 'vitest';
import type { AppRouter } from '#server/routers/app-router.ts';
import { CLAIM_TAKEN_OVER_MS } from '#server/services/idempotency/rules.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

interface Call {
  path: string;
  input: unknown;
}

/** The entries of a batch's response. */
type Outcome = {
  result?: { data: { json: { secret_key?: string; name?: string } | null } };
  error?: { json: { data: { error: { code: string } } } };
};

async function withPerson() {
  const { app, baseUrl } = await startConsoleServer();
  const person = await createTestPerson(app);
  const cookie = person.sessionCookie;
  const ofOrganization = { organization_id: person.organization.id };
  /** Sends one batch of mutations with this header. */
  const send = async (key: string | null, calls: Call[], headers: Record<string, string> = {}) => {
    const names = calls.map(({ path }) => path).join();
    const response = await fetch(`${baseUrl}/api/trpc/${names}?batch=1`, {
      method: 'POST',
      headers: {
        cookie,
        origin: baseUrl,
        'content-type': 'application/json',
        ...(key === null ? {} : { 'idempotency-key': key }),
        ...headers,
      },
      body: JSON.stringify({ ...calls.map(({ input }) => ({ json: input })) }),
    });
    const outcomes = (await response.json()) as Outcome[];
    return {
      isRepeated: response.headers.get('idempotency-replayed') === 'true',
      data: outcomes.map((outcome) => outcome.result?.data.json),
      codes: outcomes.map((outcome) => outcome.error?.json.data.error.code),
    };
  };
  const credential = (name: string): Call => ({
    path: 'credentials.create',
    input: { ...ofOrganization, name, scopes: [] },
  });
  const countCredentials = async () => {
    const rows = await app.db.selectFrom('credentials').select('id').execute();
    return rows.length;
  };
  return { app, baseUrl, person, cookie, ofOrganization, send, credential, countCredentials };
}

describe('a mutation with an Idempotency-Key', () => {
  it('runs once, and a repeat gets its response again, including the secret, which is sealed at rest', async () => {
    const { app, send, credential, countCredentials } = await withPerson();
    const first = await send('abc', [credential('CI')]);
    const second = await send('abc', [credential('CI')]);
    expect([first.isRepeated, second.isRepeated]).toEqual([false, true]);
    expect(second.data).toEqual(first.data);
    expect(await countCredentials()).toBe(1);
    const kept = await app.db.selectFrom('idempotency_keys').selectAll().execute();
    expect(first.data[0]?.secret_key).toMatch(/^ptgsk_/);
    expect(JSON.stringify(kept)).not.toContain(first.data[0]?.secret_key);
  });

  it('runs once when many arrive at the same time', async () => {
    const { send, credential, countCredentials } = await withPerson();
    const all = await Promise.all(Array.from({ length: 6 }, () => send('abc', [credential('CI')])));
    expect(await countCredentials()).toBe(1);
    for (const { codes } of all) expect([undefined, 'idempotency_request_running']).toContain(codes[0]);
  });

  it('does not run again when its response was lost after it had changed something', async () => {
    const { app, send, ofOrganization } = await withPerson();
    const call: Call = { path: 'sites.create', input: { ...ofOrganization, name: 'blog' } };
    const seal = vi.spyOn(app.sealer, 'seal').mockImplementation(() => {
      throw new Error('the process ended');
    });
    expect((await send('abc', [call])).data[0]?.name).toBe('blog');
    seal.mockRestore();
    app.clock.advance(CLAIM_TAKEN_OVER_MS);
    expect((await send('abc', [call])).codes).toEqual(['idempotency_outcome_unknown']);
  });

  it('refuses the key for other content, and may run again after a refusal', async () => {
    const { send, ofOrganization } = await withPerson();
    const site = (name: string): Call => ({ path: 'sites.create', input: { ...ofOrganization, name } });
    expect((await send('abc', [site('www')])).codes).toEqual(['site_name_reserved']);
    expect((await send('abc', [site('blog')])).data[0]?.name).toBe('blog');
    expect((await send('abc', [site('other')])).codes).toEqual(['idempotency_key_reused']);
    const forDeletion: Call = { path: 'sites.delete', input: { ...ofOrganization, name: 'blog' } };
    expect((await send('abc', [forDeletion])).codes).toEqual(['idempotency_key_reused']);
  });

  it('repeats a response without content', async () => {
    const { app, person, send, ofOrganization, credential } = await withPerson();
    await send(null, [credential('CI')]);
    const { id } = await app.db.selectFrom('credentials').select('id').executeTakeFirstOrThrow();
    const deletion: Call = {
      path: 'credentials.delete',
      input: { ...ofOrganization, credential_id: id },
    };
    expect((await send('gone', [deletion])).codes).toEqual([undefined]);
    expect(await send('gone', [deletion])).toMatchObject({ codes: [undefined], isRepeated: true });
    expect((await send(null, [deletion])).codes).toEqual(['credential_not_found']);
    expect(person.user.id).toBeTruthy();
  });

  it('is one of its batch: keys are separated by commas, and an empty one is none', async () => {
    const { send, credential, countCredentials } = await withPerson();
    const batch = [credential('a'), credential('b'), credential('c')];
    await send('k1,k2,', batch);
    const again = await send('k1, k2,', batch);
    expect(again.isRepeated, 'not all of it').toBe(false);
    expect(await countCredentials()).toBe(4);
    expect(await send('k2', [credential('b')]), 'in another batch').toMatchObject({ isRepeated: true });
    for (const wrong of ['k1', 'k1,k2,k3,k4']) {
      expect((await send(wrong, batch)).codes).toEqual(Array(3).fill('invalid_input'));
    }
    expect((await send('é', [credential('d')])).codes).toEqual(['invalid_input']);
  });

  it('is not repeated to someone who has left the organization', async () => {
    const { app, send, person, credential } = await withPerson();
    const elsewhere = (await createTestPerson(app)).organization.id;
    await joinOrganization(person, elsewhere, 'admin');
    const call = { ...credential('CI'), input: { organization_id: elsewhere, name: 'CI', scopes: [] } };
    expect((await send('abc', [call])).codes).toEqual([undefined]);
    await app.db.deleteFrom('memberships').where('organization_id', '=', elsewhere).execute();
    expect((await send('abc', [call])).codes).toEqual(['organization_not_found']);
  });

  it('is not repeated to someone whose right is another one by now', async () => {
    const { app, send, person, credential } = await withPerson();
    const elsewhere = (await createTestPerson(app)).organization.id;
    await joinOrganization(person, elsewhere, 'admin');
    const call = { ...credential('CI'), input: { organization_id: elsewhere, name: 'CI', scopes: [] } };
    expect((await send('abc', [call])).data[0]?.secret_key).toMatch(/^ptgsk_/);
    const lower = app.db.updateTable('memberships').set({ permission: 'read' });
    await lower.where('organization_id', '=', elsewhere).where('user_id', '=', person.user.id).execute();
    expect((await send('abc', [call])).codes).toEqual(['idempotency_key_reused']);
    expect((await send('next', [call])).codes).toEqual(['permission_required']);
  });

  it('cannot be answered as a stream', async () => {
    const { send, credential, countCredentials } = await withPerson();
    const { codes } = await send('abc', [credential('CI')], { 'trpc-accept': 'application/jsonl' });
    expect(codes).toEqual(['invalid_input']);
    expect(await countCredentials()).toBe(0);
  });

  it('is repeated safely by a tool that is set up as documented', async () => {
    const { baseUrl, cookie, ofOrganization, countCredentials } = await withPerson();
    const client = createTRPCClient<AppRouter>({
      links: [
        httpBatchLink({
          url: `${baseUrl}/api/trpc`,
          transformer: superjson,
          headers: ({ opList }) => ({
            cookie,
            origin: baseUrl,
            'idempotency-key': opList.map(({ context }) => context.idempotencyKey ?? '').join(),
          }),
        }),
      ],
    });
    const create = (name: string) =>
      client.credentials.create.mutate(
        { ...ofOrganization, name, scopes: [] },
        { context: { idempotencyKey: `create ${name}`.replace(' ', '-') } },
      );
    const [first] = await Promise.all([create('CI'), create('CD'), client.user.me.query()]);
    expect((await create('CI')).secret_key).toBe(first.secret_key);
    expect(await countCredentials()).toBe(2);
  });
});
