import { describe, expect, it } from 'vitest';
import type { App } from '#server/context.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createIdentityClient } from './create-identity-client.ts';
import { deleteIdentityClient } from './delete-identity-client.ts';
import { findIdentityClient } from './find-identity-client.ts';
import { REDIRECT_URIS_MAX } from './identity-client-rules.ts';
import { listIdentityClients } from './list-identity-clients.ts';

const callback = 'https://two.example.ca/auth/callback';

async function auditOf(app: App, clientId: string) {
  const rows = await app.db
    .selectFrom('audit_events')
    .select(['action', 'actor_kind', 'before', 'after'])
    .where('resource_type', '=', 'identity_client')
    .where('resource_id', '=', clientId)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    ...row,
    before: row.before && JSON.parse(row.before),
    after: row.after && JSON.parse(row.after),
  }));
}

describe('a program that signs people in with our accounts', () => {
  it('gets a secret once, which is stored only sealed', async () => {
    const app = await createTestApp();
    const context = operatorContext(app);
    const input = {
      name: ' Second console ',
      redirect_uris: [callback, callback, 'http://localhost:4000/back'],
    };
    const { client, client_secret } = await createIdentityClient(context, input);
    expect(client).toEqual({
      client_id: expect.stringMatching(/^[a-z0-9]{26}$/),
      name: 'Second console',
      redirect_uris: [callback, 'http://localhost:4000/back'],
      created_at: '2026-03-01T12:00:00.000Z',
    });
    expect(client_secret).toMatch(/^ptgcs_[\w-]{43}$/);
    expect(await listIdentityClients(context)).toEqual([client]);
    expect(await findIdentityClient(app, client.client_id)).toEqual({
      clientId: client.client_id,
      clientSecret: client_secret,
      name: client.name,
      redirectUris: client.redirect_uris,
    });
    const rows = await app.db.selectFrom('identity_clients').selectAll().execute();
    const audit = await auditOf(app, client.client_id);
    expect(audit).toMatchObject([
      { action: 'identity_client.create', actor_kind: 'operator', after: { name: 'Second console' } },
    ]);
    expect(JSON.stringify([rows, audit])).not.toContain(client_secret);
    expect(() => app.sealer.open(rows[0]?.secret_sealed ?? '', 'another row')).toThrow();
  });

  it('is unknown once deleted, and everything else stays', async () => {
    const app = await createTestApp();
    const context = operatorContext(app);
    const create = (name: string) => createIdentityClient(context, { name, redirect_uris: [callback] });
    const [one, two] = [await create('one'), await create('two')];
    const input = { client_id: one.client.client_id };
    await deleteIdentityClient(context, input);
    expect(await listIdentityClients(context)).toEqual([two.client]);
    expect(await findIdentityClient(app, input.client_id)).toBeNull();
    expect((await auditOf(app, input.client_id)).at(-1)).toMatchObject({
      action: 'identity_client.delete',
      before: { name: 'one', redirect_uris: [callback] },
    });
    await expect(deleteIdentityClient(context, input)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is deleted once, also by two operators at the same time', async () => {
    const app = await createTestApp();
    const context = operatorContext(app);
    const { client } = await createIdentityClient(context, { name: 'one', redirect_uris: [callback] });
    const attempts = [1, 2].map(() => deleteIdentityClient(context, { client_id: client.client_id }));
    const results = await Promise.allSettled(attempts);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await auditOf(app, client.client_id)).toHaveLength(2);
  });

  it.each([
    ['two.example.ca/callback'],
    ['/auth/callback'],
    ['http://two.example.ca/auth/callback'],
    ['http://localhost.example.ca/'],
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    ['com.example.app:/callback'],
    ['https://*.example.ca/auth/callback'],
    ['https://ada:secret@example.ca/'],
    ['https://example.ca/#fragment'],
    ['https://example.ca/#'],
    ['https://example.ca\\@evil.example/'],
    ['https://example.ca/a b'],
    [`https://example.ca/${'x'.repeat(500)}`],
    [''],
  ])('gets no codes at %s', async (uri) => {
    const context = operatorContext(await createTestApp());
    const attempt = createIdentityClient(context, { name: 'x', redirect_uris: [callback, uri] });
    await expect(attempt).rejects.toMatchObject({ name: 'ZodError' });
    expect(await listIdentityClients(context)).toEqual([]);
  });

  it('needs a name and between one and a few addresses', async () => {
    const context = operatorContext(await createTestApp());
    const many = Array.from({ length: REDIRECT_URIS_MAX + 1 }, (_, index) => `${callback}/${index}`);
    for (const input of [
      { name: ' ', redirect_uris: [callback] },
      { name: 'x', redirect_uris: [] },
      { name: 'x', redirect_uris: many },
    ]) {
      await expect(createIdentityClient(context, input)).rejects.toMatchObject({ name: 'ZodError' });
    }
  });

  it('cannot be created when there are no local accounts', async () => {
    const environment = { OIDC_ISSUER: 'https://code.example.ca', OIDC_CLIENT_ID: 'portage' };
    const context = operatorContext(await createTestApp({ environment }));
    const attempt = createIdentityClient(context, { name: 'x', redirect_uris: [callback] });
    await expect(attempt).rejects.toMatchObject({
      code: 'invalid_input',
      params: { reason: expect.stringContaining('OIDC_ISSUER') },
    });
  });

  it('can be managed only by operators, and one with read access changes nothing', async () => {
    const app = await createTestApp();
    const { client } = await createIdentityClient(operatorContext(app), {
      name: 'x',
      redirect_uris: [callback],
    });
    const attempts = (context: Parameters<typeof listIdentityClients>[0]) => [
      () => createIdentityClient(context, { name: 'y', redirect_uris: [callback] }),
      () => deleteIdentityClient(context, { client_id: client.client_id }),
    ];
    const reader = operatorContext(app, 'read');
    const person = (await createTestPerson(app)).context;
    for (const attempt of [...attempts(reader), ...attempts(person), () => listIdentityClients(person)]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'operator_required' });
    }
    const nobody = { ...reader, actor: { kind: 'anonymous' as const } };
    for (const attempt of [...attempts(nobody), () => listIdentityClients(nobody)]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'unauthenticated' });
    }
    expect(await listIdentityClients(reader)).toEqual([client]);
  });
});
