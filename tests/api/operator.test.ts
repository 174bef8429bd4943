import { describe, expect, it } from 'vitest';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { manifestOf } from '#tests/support/app/deploy.ts';
import { createTestOperatorToken } from '#tests/support/app/operator-context.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import {
  credentialClient,
  listOf,
  objectOf,
  personClient,
  restClient,
} from '#tests/support/client/rest-client.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';
import { callProcedure } from '#tests/support/surfaces/call-surface.ts';

async function prepare() {
  const server = await startConsoleServer();
  const { app, baseUrl } = server;
  const person = await createTestPerson(app);
  const site = await createSite(person.context, { name: 'blog' });
  const read = await createTestOperatorToken(app, 'read');
  const manage = await createTestOperatorToken(app, 'manage');
  const organization_id = person.organization.id;
  const call = (token: string, name: string, input: unknown = {}) => {
    const isMutation = ['operator.suspend', 'operator.resume', 'operator.setFeatures'].includes(name);
    return callProcedure(baseUrl, { authorization: `Bearer ${token}` }, { name, isMutation }, input);
  };
  return { app, baseUrl, person, site, read, manage, organization_id, call };
}

const dataOf = (text: string) => JSON.parse(text).result.data.json;

describe('an operator token', () => {
  it('reads everything by tRPC and REST with read access, and changes it with manage access', async () => {
    const { baseUrl, read, manage, organization_id, call } = await prepare();
    const listed = await call(read.token, 'operator.organizations', {});
    expect(dataOf(listed.text).items).toMatchObject([{ id: organization_id }]);
    const refused = await call(read.token, 'operator.setFeatures', { organization_id, features: [] });
    expect([refused.status, refused.code]).toEqual([403, 'operator_required']);
    const changed = await call(manage.token, 'operator.setFeatures', { organization_id, features: [] });
    expect(dataOf(changed.text)).toMatchObject({ features: [] });

    const inside = { 'portage-organization': organization_id };
    const reader = restClient(baseUrl, { authorization: `Bearer ${read.token}`, ...inside });
    expect(listOf(await reader('GET', '/api/v1/sites'))).toMatchObject([{ name: 'blog' }]);
    const creating = { json: { name: 'for a customer' } };
    expect((await reader('POST', '/api/v1/sites', creating)).status).toBe(403);
    const manager = restClient(baseUrl, { authorization: `Bearer ${manage.token}`, ...inside });
    expect((await manager('POST', '/api/v1/sites', creating)).status).toBe(201);
  });

  it('stops a customer’s deploys and credentials with a suspension, and resumes them afterwards', async () => {
    const { baseUrl, person, site, manage, organization_id, call } = await prepare();
    const owner = personClient(baseUrl, person);
    const { client: ci } = await credentialClient(baseUrl, person.context, [site.id]);
    const opened = await ci('POST', `/api/v1/sites/${site.id}/versions`, {
      json: { files: manifestOf({ 'index.html': 'x' }) },
    });
    expect(opened.status).toBe(201);
    const version = `/api/v1/sites/${site.id}/versions/${objectOf(opened).id}`;
    await call(manage.token, 'operator.suspend', { organization_id, reason: 'unpaid' });
    const tries = [
      await ci('POST', `${version}/seal`),
      await ci('POST', `/api/v1/sites/${site.id}/versions`, {
        json: { files: manifestOf({ 'a.html': 'y' }) },
      }),
      await owner('POST', '/api/v1/sites', { json: { name: 'another' } }),
      await owner('POST', '/api/v1/credentials', { json: { name: 'CI', scopes: [] } }),
    ];
    for (const response of tries) {
      expect([response.status, objectOf(response).code]).toEqual([403, 'organization_suspended']);
    }
    expect(listOf(await owner('GET', '/api/v1/sites'))).toHaveLength(1);
    const memberships = listOf(await owner('GET', '/api/v1/user/organizations'));
    expect(memberships).toMatchObject([{ organization: { suspension_reason: 'unpaid' } }]);
    await call(manage.token, 'operator.resume', { organization_id });
    expect((await owner('POST', '/api/v1/sites', { json: { name: 'another' } })).status).toBe(201);
  });

  it('ends on the very next request when it is revoked or expires', async () => {
    const { app, read, manage, call } = await prepare();
    const stats = async (token: string) => {
      const { status, code } = await call(token, 'operator.stats');
      return [status, code];
    };
    expect(await stats(read.token)).toEqual([200, null]);
    const revoking = app.db.updateTable('operator_tokens').set({ revoked_at: app.clock.now() });
    await revoking.where('id', '=', read.id).execute();
    expect(await stats(read.token)).toEqual([401, 'credential_invalid']);
    const expiring = app.db.updateTable('operator_tokens').set({ expires_at: app.clock.now() + 1000 });
    await expiring.where('id', '=', manage.id).execute();
    expect(await stats(manage.token)).toEqual([200, null]);
    app.clock.advance(1000);
    expect(await stats(manage.token)).toEqual([401, 'credential_invalid']);
  });

  it('is accepted in no other place or form', async () => {
    const { baseUrl, manage } = await prepare();
    const { token } = manage;
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const headers: Record<string, string>[] = [
      { authorization: `Basic ${base64(`${token}:`)}` },
      { authorization: `Basic ${base64(`operator:${token}`)}` },
      { authorization: `Basic ${token}` },
      { authorization: `Token ${token}` },
      { authorization: token },
      { authorization: `Bearer ${base64(token)}` },
      { authorization: `Bearer "${token}"` },
      { authorization: `Bearer ${token} ${token}` },
    ];
    const path = '/api/trpc/operator.stats';
    for (const header of headers) {
      const response = await restClient(baseUrl, header)('GET', path);
      expect([header.authorization, response.status]).toEqual([header.authorization, 401]);
    }
    const queries = ['token', 'access_token', 'authorization', 'operator_token'];
    for (const name of queries) {
      const response = await restClient(baseUrl)('GET', `${path}?${name}=${encodeURIComponent(token)}`);
      expect([name, response.status]).toEqual([name, 401]);
    }
    for (const [name, value] of Object.entries({ cookie: `session=${token}`, 'x-operator-token': token })) {
      expect((await restClient(baseUrl, { [name]: value })('GET', path)).status).toBe(401);
    }
    expect((await restClient(baseUrl, { authorization: `bearer ${token}` })('GET', path)).status).toBe(200);
  });

  it('cannot be guessed: wrong ones are limited per address, and a valid one is accepted regardless', async () => {
    const { app, baseUrl, read, call } = await prepare();
    app.rateLimits = createRateLimits({ operator_failure_address: { points: 2, seconds: 300 } });
    const wrong = () => restClient(baseUrl, { authorization: 'Bearer ptgop_wrong' })('GET', '/api/v1/sites');
    expect([(await wrong()).status, (await wrong()).status]).toEqual([401, 401]);
    const limited = await wrong();
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await call(read.token, 'operator.stats')).status).toBe(200);
  });

  it('names the organization explicitly: without one the response says how', async () => {
    const { baseUrl, manage } = await prepare();
    const client = restClient(baseUrl, { authorization: `Bearer ${manage.token}` });
    const nowhere = await client('GET', '/api/v1/sites');
    expect(nowhere.status).toBe(400);
    expect(objectOf(nowhere)).toMatchObject({
      code: 'invalid_input',
      detail: expect.stringContaining('Portage-Organization'),
    });
    const personal = await client('GET', '/api/v1/user');
    expect([personal.status, objectOf(personal).code]).toEqual([403, 'person_required']);
  });
});
