import { describe, expect, it } from 'vitest';
import { newId } from '#server/ids.ts';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
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

describe('sites', () => {
  it('are created, read, changed, deleted and restored as the specification says', async () => {
    const { app, client } = await withPerson();
    const created = await client('POST', '/api/v1/sites', { json: { name: 'My Blog' } });
    expect(created.status).toBe(201);
    const site = objectOf(created);
    const path = `/api/v1/sites/${site.id}`;
    expect(created.headers.get('location')).toBe(path);
    expect(site).toMatchObject({
      name: 'My Blog',
      subdomain_url: app.config.siteUrl('myblog.sites.localhost'),
      created_at: '2026-03-01T12:00:00.000Z',
    });
    expect(objectOf(await client('GET', path))).toEqual(site);
    expect(listOf(await client('GET', '/api/v1/sites'))).toEqual([site]);
    const changed = await client('PATCH', path, { json: { spa_fallback: true } });
    expect(objectOf(changed)).toMatchObject({ spa_fallback: true });
    const deleted = await client('DELETE', path);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    const gone = await client('GET', path);
    expect([gone.status, objectOf(gone).code]).toEqual([404, 'site_not_found']);
    expect(objectOf(await client('POST', `${path}/restore`))).toMatchObject({ id: site.id });
  });

  it('keeps what it keeps when a number is null, empty or of another type', async () => {
    const { client } = await withPerson();
    const { id, keep_versions, keep_days } = objectOf(
      await client('POST', '/api/v1/sites', { json: { name: 'blog' } }),
    );
    for (const wrong of [null, '', [], true, {}, '1e1', ' 3', 1.5]) {
      for (const field of ['keep_days', 'keep_versions']) {
        const refused = await client('PATCH', `/api/v1/sites/${id}`, { json: { [field]: wrong } });
        expect([wrong, refused.status]).toEqual([wrong, 400]);
        expect(objectOf(refused).errors).toMatchObject([{ path: field }]);
      }
    }
    for (const query of ['limit=', 'limit=1e1', 'limit=0x10', 'limit=201', 'limit=-1', 'limit=1&limit=2']) {
      expect([query, (await client('GET', `/api/v1/sites?${query}`)).status]).toEqual([query, 400]);
    }
    expect((await client('GET', '/api/v1/sites?limit=200')).status).toBe(200);
    expect(objectOf(await client('GET', `/api/v1/sites/${id}`))).toMatchObject({ keep_versions, keep_days });
  });

  it('are addressed by their subdomain and their versions by number, within the organization and the scopes', async () => {
    const { app, baseUrl, person, client } = await withPerson();
    const site = objectOf(await client('POST', '/api/v1/sites', { json: { name: 'My Blog' } }));
    const other = objectOf(await client('POST', '/api/v1/sites', { json: { name: 'other' } }));
    for (const text of ['1', '2']) {
      await deployTestFiles(person.context, String(site.id), { 'index.html': text });
    }
    expect(objectOf(await client('GET', '/api/v1/sites/myblog'))).toMatchObject({ id: site.id });
    const version = objectOf(await client('GET', '/api/v1/sites/myblog/versions/1'));
    expect(version).toMatchObject({ number: 1, is_current: false });
    const back = await client('POST', '/api/v1/sites/myblog/rollback', { json: { version_id: '1' } });
    expect(objectOf(back)).toMatchObject({ version: { id: version.id, is_current: true } });
    for (const path of ['/api/v1/sites/nothing', '/api/v1/sites/myblog/versions/3']) {
      expect((await client('GET', path)).status).toBe(404);
    }
    const stranger = personClient(baseUrl, await createTestPerson(app));
    expect((await stranger('GET', '/api/v1/sites/myblog')).status).toBe(404);
    const scoped = await credentialClient(baseUrl, person.context, [String(other.id)]);
    const outside = [
      await scoped.client('GET', '/api/v1/sites/myblog'),
      await scoped.client('GET', '/api/v1/sites/nothing'),
    ];
    expect(outside.map((response) => [response.status, objectOf(response).code])).toEqual([
      [403, 'out_of_scope'],
      [403, 'out_of_scope'],
    ]);
    expect((await scoped.client('GET', '/api/v1/sites/other')).status).toBe(200);
  });

  it('are listed in pages linked by a Link header', async () => {
    const { client } = await withPerson();
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await client('POST', '/api/v1/sites', { json: { name } });
    const seen: unknown[] = [];
    let path: string | undefined = '/api/v1/sites?limit=2&search=';
    while (path) {
      const response = await client('GET', path);
      seen.push(...listOf(response).map((site) => site.name));
      path = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(names);
    expect((await client('GET', '/api/v1/sites?limit=0')).status).toBe(400);
  });

  it('return 409 with a suggestion for a taken name, and 409 while they have endpoints', async () => {
    const { app, client, person } = await withPerson();
    const site = objectOf(await client('POST', '/api/v1/sites', { json: { name: 'blog' } }));
    const taken = await client('POST', '/api/v1/sites', { json: { name: 'BLOG' } });
    expect(taken.status).toBe(409);
    expect(objectOf(taken)).toMatchObject({ code: 'site_name_taken', params: { suggestion: 'blog-2' } });
    await app.db
      .insertInto('cdn_endpoints')
      .values({
        id: newId(),
        organization_id: person.organization.id,
        hostname: 'www.example.ca',
        cname_target: 'a.edge.localhost',
        origin_type: 'site',
        site_id: String(site.id),
        redirect_target: null,
        created_at: 0,
        updated_at: 0,
      })
      .execute();
    const refused = await client('DELETE', `/api/v1/sites/${site.id}`);
    expect(refused.status).toBe(409);
    expect(objectOf(refused)).toMatchObject({
      code: 'site_has_endpoints',
      detail: 'Cannot delete site with active CDN endpoints. Please delete all CDN endpoints first.',
    });
    const endpoints = listOf(await client('GET', `/api/v1/cdn/endpoints?site_id=${site.id}`));
    expect(endpoints).toMatchObject([{ hostname: 'www.example.ca', site_name: 'blog' }]);
  });
});

describe('credentials', () => {
  it('are created with their secret, read without it, scoped and deleted, which takes effect immediately', async () => {
    const { baseUrl, client } = await withPerson();
    const site = objectOf(await client('POST', '/api/v1/sites', { json: { name: 'blog' } }));
    const scopes = [{ resource_type: 'site', resource_id: site.id, permissions: ['read', 'write'] }];
    const created = await client('POST', '/api/v1/credentials', { json: { name: 'CI', scopes } });
    expect(created.status).toBe(201);
    expect(created.headers.get('cache-control')).toBe('no-store');
    const response = JSON.parse(created.text);
    const path = `/api/v1/credentials/${response.credential.id}`;
    expect((await client('GET', path)).text).not.toContain('secret');
    const ci = restClient(baseUrl, {
      authorization: `Bearer ${response.credential.public_key}:${response.secret_key}`,
    });
    expect((await ci('GET', `/api/v1/sites/${site.id}`)).status).toBe(200);
    expect((await client('PUT', `${path}/scopes`, { json: { scopes: [] } })).status).toBe(200);
    expect((await ci('GET', `/api/v1/sites/${site.id}`)).status).toBe(403);
    expect((await client('DELETE', path)).status).toBe(204);
    expect((await ci('GET', '/api/v1/sites')).status).toBe(401);
  });

  it('can access only their sites, and neither people nor other credentials', async () => {
    const { baseUrl, client, person } = await withPerson();
    const one = objectOf(await client('POST', '/api/v1/sites', { json: { name: 'one' } }));
    const two = objectOf(await client('POST', '/api/v1/sites', { json: { name: 'two' } }));
    const ci = await credentialClient(baseUrl, person.context, [String(one.id)]);
    expect(listOf(await ci.client('GET', '/api/v1/sites')).map((site) => site.name)).toEqual(['one']);
    const statusOf = async (method: string, path: string, json?: unknown) =>
      (await ci.client(method, path, { json })).status;
    expect(await statusOf('GET', `/api/v1/sites/${two.id}`)).toBe(403);
    expect(await statusOf('POST', '/api/v1/sites', { name: 'three' })).toBe(403);
    expect(await statusOf('DELETE', `/api/v1/sites/${one.id}`)).toBe(403);
    expect(await statusOf('GET', '/api/v1/credentials')).toBe(403);
    expect(await statusOf('PUT', `/api/v1/credentials/${ci.id}/scopes`, { scopes: [] })).toBe(403);
    expect(await statusOf('GET', '/api/v1/user')).toBe(403);
    expect(await statusOf('GET', '/api/v1/user/organizations')).toBe(403);
  });
});

describe('the person and the organizations', () => {
  it('are read and set as the specification says', async () => {
    const { client, person } = await withPerson();
    expect(objectOf(await client('GET', '/api/v1/user'))).toMatchObject({ login: person.user.login });
    const saved = await client('PUT', '/api/v1/user/settings', { json: { language_preference: 'fr-CA' } });
    expect(objectOf(saved)).toMatchObject({ language_preference: 'fr-CA' });
    const wrong = await client('PUT', '/api/v1/user/settings', { json: { language_preference: 'de' } });
    expect(wrong.status).toBe(400);
    expect(listOf(await client('GET', '/api/v1/user/organizations'))).toMatchObject([
      { permission: 'owner', organization: { id: person.organization.id } },
    ]);
    expect(objectOf(await client('GET', '/api/v1/organization/context'))).toMatchObject({
      organization_id: person.organization.id,
    });
    const set = await client('POST', '/api/v1/organization/context/set', {
      json: { organization_id: person.organization.id },
    });
    expect([set.status, objectOf(set).organization_id]).toEqual([200, person.organization.id]);
    const foreign = await client('POST', '/api/v1/organization/context/set', {
      json: { organization_id: 'no' },
    });
    expect(foreign.status).toBe(404);
  });

  it('are not needed for the web configuration', async () => {
    const { baseUrl } = await withPerson();
    const response = await restClient(baseUrl)('GET', '/_webconfig');
    expect([response.status, objectOf(response)]).toEqual([200, { stripePublishableKey: null }]);
  });
});
