import { describe, expect, it } from 'vitest';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { createMember, createNamedOrganization } from '#tests/support/app/named-organization.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import {
  credentialClient,
  listOf,
  objectOf,
  personClient,
  restClient,
} from '#tests/support/client/rest-client.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

async function withOrganization(options: Parameters<typeof startConsoleServer>[0] = {}) {
  const { app, baseUrl } = await startConsoleServer(options);
  const owner = await createTestPerson(app);
  const context = await createNamedOrganization(owner, { name: 'Rivers', handle: 'rivers' });
  const client = personClient(baseUrl, owner, context.organization.id);
  const invite = async (permission = 'write') => {
    const response = await client('POST', '/api/v1/organization/invitations', { json: { permission } });
    const { id, link } = objectOf(response);
    return { id: String(id), token: String(link).split('/').at(-1) ?? '' };
  };
  return { app, baseUrl, owner, context, client, invite };
}

const accept = (token: string) => `/api/v1/invitations/${encodeURIComponent(token)}/accept`;

describe('/api/v1/organizations', () => {
  it('creates an organization once per Idempotency-Key, and reports which field is taken', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const client = personClient(baseUrl, await createTestPerson(app));
    const request = {
      json: { name: 'Rivers', handle: 'rivers' },
      headers: { 'idempotency-key': 'make-rivers' },
    };
    const first = await client('POST', '/api/v1/organizations', request);
    expect(first.status, first.text).toBe(201);
    expect(objectOf(first)).toMatchObject({ permission: 'owner', organization: { handle: 'rivers' } });
    const again = await client('POST', '/api/v1/organizations', request);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const taken = await client('POST', '/api/v1/organizations', { json: request.json });
    expect(taken.status).toBe(409);
    expect(objectOf(taken)).toMatchObject({
      code: 'organization_handle_taken',
      errors: [{ path: 'handle' }],
    });
    const listed = listOf(await client('GET', '/api/v1/user/organizations'));
    expect(listed).toHaveLength(2);
  });
});

describe('/api/v1/organization', () => {
  it('responds with 304 until something changes, in the organization named by the header', async () => {
    const { client, owner, baseUrl } = await withOrganization();
    const first = await client('GET', '/api/v1/organization');
    expect(objectOf(first)).toMatchObject({ name: 'Rivers', is_managed_here: true });
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    expect((await client('GET', '/api/v1/organization', { headers })).status).toBe(304);
    const changed = await client('PATCH', '/api/v1/organization', { json: { description: 'Water' } });
    expect(objectOf(changed)).toMatchObject({ description: 'Water', name: 'Rivers' });
    expect((await client('GET', '/api/v1/organization', { headers })).status).toBe(200);
    const own = await personClient(baseUrl, owner)('GET', '/api/v1/organization');
    expect(objectOf(own)).toMatchObject({ id: owner.organization.id, is_managed_here: false });
  });

  it('hides people from a credential, and refuses it every change', async () => {
    const { baseUrl, context } = await withOrganization();
    const { client } = await credentialClient(baseUrl, context, []);
    for (const [method, path] of [
      ['GET', '/api/v1/organization'],
      ['GET', '/api/v1/organization/members'],
      ['GET', '/api/v1/organization/invitations'],
      ['DELETE', '/api/v1/organization'],
      ['POST', '/api/v1/organization/leave'],
    ] as const) {
      const response = await client(method, path);
      expect([path, response.status, objectOf(response).code]).toEqual([path, 403, 'person_required']);
    }
  });

  it('refuses to be deleted while something is in it, and is gone afterwards', async () => {
    const { client } = await withOrganization();
    const site = objectOf(await client('POST', '/api/v1/sites', { json: { name: 'blog' } }));
    const refused = await client('DELETE', '/api/v1/organization');
    expect([refused.status, objectOf(refused).code]).toEqual([409, 'organization_not_empty']);
    await client('DELETE', `/api/v1/sites/${site.id}`);
    expect((await client('DELETE', '/api/v1/organization')).status).toBe(409);
  });

  it('is left with 204, and the next request finds nothing', async () => {
    const { client } = await withOrganization();
    const gone = await client('DELETE', '/api/v1/organization');
    expect([gone.status, gone.text]).toEqual([204, '']);
    const next = await client('GET', '/api/v1/organization');
    expect([next.status, objectOf(next).code]).toEqual([404, 'organization_not_found']);
  });
});

describe('/api/v1/organization/members', () => {
  it('is read page by page, changed and shortened; a removed member has no access at the next request', async () => {
    const { baseUrl, client, context } = await withOrganization();
    const { person } = await createMember(context, 'write');
    const theirs = personClient(baseUrl, person, context.organization.id);
    const first = await client('GET', '/api/v1/organization/members?limit=1');
    expect(listOf(first)).toMatchObject([{ permission: 'owner', is_you: true }]);
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect(listOf(await client('GET', next))).toMatchObject([{ user_id: person.user.id }]);

    const path = `/api/v1/organization/members/${person.user.id}`;
    expect((await theirs('POST', '/api/v1/sites', { json: { name: 'blog' } })).status).toBe(201);
    const weaker = await client('PATCH', path, { json: { permission: 'read' } });
    expect(objectOf(weaker)).toMatchObject({ permission: 'read' });
    expect((await theirs('POST', '/api/v1/sites', { json: { name: 'other' } })).status).toBe(403);
    expect((await client('DELETE', path)).status).toBe(204);
    const out = await theirs('GET', '/api/v1/sites');
    expect([out.status, objectOf(out).code]).toEqual([404, 'organization_not_found']);
  });
});

describe('/api/v1/invitations', () => {
  it('tells the holder of a link what it is for, and responds the same to a repeated acceptance', async () => {
    const { app, baseUrl, owner, context, invite } = await withOrganization();
    const { token } = await invite();
    const preview = await restClient(baseUrl)('GET', `/api/v1/invitations/${token}`);
    expect(objectOf(preview)).toMatchObject({
      organization: { name: 'Rivers' },
      invited_by: owner.user.full_name,
      permission: 'write',
    });
    expect(preview.text).not.toContain(context.organization.id);

    const guest = personClient(baseUrl, await createTestPerson(app));
    const headers = { 'idempotency-key': 'join-rivers' };
    const first = await guest('POST', accept(token), { headers });
    expect(first.status, first.text).toBe(200);
    const again = await guest('POST', accept(token), { headers });
    expect([again.status, again.text]).toEqual([200, first.text]);
    const bare = await guest('POST', accept(token));
    expect([bare.status, objectOf(bare).code]).toEqual([404, 'invitation_not_found']);
    // The key is the guest's own: another person cannot use it.
    const other = personClient(baseUrl, await createTestPerson(app));
    expect((await other('POST', accept(token), { headers })).status).toBe(404);
    expect((await restClient(baseUrl)('GET', `/api/v1/invitations/${token}`)).status).toBe(404);
  });

  it('admits one of many who accept at the same moment', async () => {
    const { app, baseUrl, client, invite } = await withOrganization();
    const { token } = await invite();
    const guests = await Promise.all(
      Array.from({ length: 6 }, async () => personClient(baseUrl, await createTestPerson(app))),
    );
    const responses = await Promise.all(guests.map((guest) => guest('POST', accept(token))));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
    expect(listOf(await client('GET', '/api/v1/organization/members'))).toHaveLength(2);
  });

  it('responds to every wrong token alike', async () => {
    const { baseUrl, client, invite } = await withOrganization();
    const { id, token } = await invite();
    const wrong = [
      'x',
      id,
      token.slice(1),
      `${token}A`,
      '%',
      '../user',
      'a'.repeat(100),
      '<script>',
      '\u0000',
    ];
    const bodies = new Set<unknown>();
    for (const each of wrong) {
      const path = `/api/v1/invitations/${encodeURIComponent(each)}`;
      const response = await restClient(baseUrl)('GET', path);
      expect([each, response.status]).toEqual([each, 404]);
      bodies.add(objectOf(response).code);
    }
    expect([...bodies]).toEqual(['invitation_not_found']);
    const long = await restClient(baseUrl)('GET', `/api/v1/invitations/${'a'.repeat(101)}`);
    expect(long.status).toBe(404);
    expect((await client('DELETE', `/api/v1/organization/invitations/${id}`)).status).toBe(204);
    expect((await client('DELETE', `/api/v1/organization/invitations/${id}`)).status).toBe(404);
    expect((await restClient(baseUrl)('GET', `/api/v1/invitations/${token}`)).status).toBe(404);
  });

  it('limits guesses from one address and says when to come back', async () => {
    const { app, baseUrl } = await startConsoleServer();
    app.rateLimits = createRateLimits({ invitation_lookup_address: { points: 2, seconds: 60 } });
    const anybody = restClient(baseUrl);
    for (const token of ['a', 'b']) {
      expect((await anybody('GET', `/api/v1/invitations/${token}`)).status).toBe(404);
    }
    const limited = await anybody('GET', '/api/v1/invitations/c');
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('does not join through a request that another site triggers in the browser', async () => {
    const { app, baseUrl, invite } = await withOrganization();
    const { token } = await invite();
    const guest = await createTestPerson(app);
    const forged = restClient(baseUrl, { cookie: guest.sessionCookie, origin: 'https://evil.example' });
    const response = await forged('POST', accept(token));
    expect([response.status, objectOf(response).code]).toEqual([403, 'cross_site_request']);
  });
});

describe('/api/v1/user/sessions', () => {
  it('lists one’s own sessions and ends one immediately', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const [person, other] = [await createTestPerson(app), await createTestPerson(app)];
    const client = personClient(baseUrl, person);
    const sessions = listOf(await client('GET', '/api/v1/user/sessions'));
    expect(sessions).toMatchObject([{ id: person.actor.sessionId, is_current: true }]);
    const foreign = await client('DELETE', `/api/v1/user/sessions/${other.actor.sessionId}`);
    expect([foreign.status, objectOf(foreign).code]).toEqual([404, 'session_not_found']);
    expect((await client('DELETE', `/api/v1/user/sessions/${person.actor.sessionId}`)).status).toBe(204);
    expect((await client('GET', '/api/v1/user')).status).toBe(401);
  });
});
