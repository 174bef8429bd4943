import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { registerAndSignIn } from '#tests/support/client/sign-in.ts';
import { createMember, startEmbeddedCodeHost } from '#tests/support/identity/embedded-code-host.ts';
import { claimsOf, createRelyingParty } from '#tests/support/identity/relying-party.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

/** Sends a path unchanged, which fetch would normalize, and returns the status. */
function askRaw(baseUrl: string, path: string, token: string): Promise<number> {
  const { hostname, port } = new URL(baseUrl);
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: `/identity/api/v1${path}`, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

describe('the read API in Forgejo’s format', () => {
  it('shows a person, an organization and a permission with every field that Forgejo has', async () => {
    const host = await startEmbeddedCodeHost();
    const number = await host.createOrganization({ handle: 'rivers', name: 'Rivières', location: 'Québec' });
    const { token, account, tokens } = await createMember(host);
    await host.setPermission(number, 'ada', 'write');
    const user = await host.party.ask('/user', token);
    expect(user.status).toBe(200);
    expect(user.headers.get('content-type')).toBe('application/json;charset=utf-8');
    expect(user.headers.get('cache-control')).toBe('no-store');
    expect(user.body).toMatchObject({
      id: Number(claimsOf(tokens.id_token).sub),
      login: 'ada',
      username: 'ada',
      full_name: 'Person ada',
      email: account.email,
      avatar_url: '',
      is_admin: false,
      active: true,
    });
    const organization = {
      id: Number(number),
      name: 'rivers',
      username: 'rivers',
      full_name: 'Rivières',
      email: '',
      avatar_url: '',
      description: '',
      website: '',
      location: 'Québec',
      visibility: 'public',
      repo_admin_change_team_access: false,
    };
    expect((await host.party.ask('/orgs/rivers', token)).body).toEqual(organization);
    expect((await host.party.ask('/user/orgs', token)).body).toEqual([organization]);
    expect((await host.party.ask('/users/Ada/orgs', token)).body).toEqual([organization]);
    expect((await host.party.ask('/users/ada/orgs/rivers/permissions', token)).body).toEqual({
      is_owner: false,
      is_admin: false,
      can_write: true,
      can_read: true,
      can_create_repository: false,
    });
    const head = await host.party.ask('/user/orgs', token, { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, body: null });
    expect(head.headers.get('x-total-count')).toBe('1');
  });

  it('accepts a token in both of Forgejo’s forms and from nowhere else', async () => {
    const host = await startEmbeddedCodeHost();
    const { token, tokens, browser } = await createMember(host);
    for (const authorization of [
      `Bearer ${token}`,
      `bearer  ${token}`,
      `token ${token}`,
      `Token ${token} `,
    ]) {
      expect((await host.party.ask('/user', null, { authorization })).status, authorization).toBe(200);
    }
    const basic = (user: string, password: string) =>
      `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const useless = [
      `Bearer ${token}x`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token} ${token}`,
      `Bearer ${token},`,
      `Bearer ${tokens.refresh_token}`,
      `Bearer ${tokens.id_token}`,
      `Bearer ${createHash('sha256').update(token).digest('hex')}`,
      'Bearer',
      'Bearer ',
      'Bearer \u00e9',
      token,
      `sudo ${token}`,
      basic(token, 'x-oauth-basic'),
      basic('ada', token),
      basic(host.party.clientId, host.party.clientSecret),
    ];
    const responses = await Promise.all(
      useless.map((authorization) => host.party.ask('/user', null, { authorization })),
    );
    responses.push(
      await host.party.ask('/user', null),
      await host.party.ask(`/user?token=${token}`, null),
      await host.party.ask(`/user?access_token=${token}`, null),
      await host.party.ask('/user', null, { headers: { cookie: browser.cookieHeader('/identity') } }),
    );
    for (const [index, response] of responses.entries()) {
      expect(response.status, useless[index]).toBe(401);
      expect(response.body).toEqual({
        message: expect.any(String),
        url: `${host.baseUrl}/identity/.well-known/openid-configuration`,
      });
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });

  it('requires the scopes that Forgejo requires', async () => {
    const host = await startEmbeddedCodeHost();
    await host.createOrganization({ handle: 'rivers', name: 'Rivers' });
    const { browser } = await registerAndSignIn(host.baseUrl, { login: 'ada' });
    const statuses = async (scope: string) => {
      const { access_token } = await host.party.signIn(browser, undefined, scope);
      const paths = [
        '/user',
        '/user/orgs',
        '/users/ada/orgs',
        '/users/ada/orgs/rivers/permissions',
        '/orgs/rivers',
      ];
      return Promise.all(paths.map(async (path) => (await host.party.ask(path, access_token)).status));
    };
    expect(await statuses('openid profile email groups')).toEqual([403, 403, 403, 403, 403]);
    expect(await statuses('openid read:user')).toEqual([200, 403, 403, 403, 403]);
    expect(await statuses('openid read:organization')).toEqual([403, 403, 403, 403, 200]);
    expect(await statuses('openid read:user read:organization')).toEqual([200, 200, 200, 200, 200]);
    const { access_token } = await host.party.signIn(browser, undefined, 'openid');
    const refused = await host.party.ask('/user/orgs', access_token);
    expect(refused.body).toMatchObject({ message: expect.stringContaining('read:user, read:organization') });
  });

  it('has pages with the headers that Forgejo sends', async () => {
    const host = await startEmbeddedCodeHost();
    const { token } = await createMember(host);
    for (let count = 10; count < 17; count += 1) {
      const number = await host.createOrganization({ handle: `org-${count}`, name: `Organization ${count}` });
      await host.setPermission(number, 'ada', 'read');
    }
    const ask = async (query: string) => {
      const { status, headers, body } = await host.party.ask(`/user/orgs?${query}`, token);
      expect(status, query).toBe(200);
      expect(headers.get('x-total-count'), query).toBe('7');
      expect(headers.get('access-control-expose-headers')).toContain('X-Total-Count');
      const rels = [...(headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)];
      const links = Object.fromEntries(rels.map(([, href = '', rel = '']) => [rel, href]));
      return { handles: (body as { name: string }[]).map(({ name }) => name), links };
    };
    const base = `${host.baseUrl}/identity/api/v1/user/orgs`;
    const middle = await ask('page=2&limit=3');
    expect(middle.handles).toEqual(['org-13', 'org-14', 'org-15']);
    expect(middle.links).toEqual({
      next: `${base}?page=3&limit=3`,
      last: `${base}?page=3&limit=3`,
      first: `${base}?page=1&limit=3`,
      prev: `${base}?page=1&limit=3`,
    });
    expect((await ask('page=3&limit=3')).handles).toEqual(['org-16']);
    expect(Object.keys((await ask('limit=3')).links)).toEqual(['next', 'last']);
    expect((await ask('')).links).toEqual({});
    const odd = [
      'limit=0',
      'limit=-1',
      'limit=x',
      'limit=51',
      'limit=999999999999999999999',
      'page=0',
      'page=-3',
      'page=x',
      'page=1.5',
      'page=',
      'page=1&page=2',
    ];
    for (const query of odd) expect((await ask(query)).handles, query).toHaveLength(7);
    for (const page of ['4', '2147483648', '9007199254740993', '9'.repeat(400)]) {
      expect((await ask(`page=${page}&limit=3`)).handles, page).toEqual([]);
    }
  });

  it('reveals no people and organizations that the token’s person does not know', async () => {
    const host = await startEmbeddedCodeHost();
    const { token } = await createMember(host);
    const shared = await host.createOrganization({ handle: 'shared', name: 'Shared' });
    await host.createOrganization({ handle: 'secret', name: 'Secret' });
    await registerAndSignIn(host.baseUrl, { login: 'stranger' });
    await host.setPermission(shared, 'ada', 'read');
    expect((await host.party.ask('/users/founder/orgs', token)).body).toMatchObject([{ name: 'shared' }]);
    const known = await host.party.ask('/users/founder/orgs/shared/permissions', token);
    expect(known.body).toMatchObject({ is_owner: true });
    const own = await host.party.ask('/users/ada/orgs/secret/permissions', token);
    expect(own.body).toMatchObject({ is_owner: false, can_read: false });
    const absent = await host.party.ask('/users/nobody/orgs', token);
    expect(absent).toMatchObject({
      status: 404,
      body: { message: expect.any(String), url: expect.any(String) },
    });
    const hidden = [
      '/users/stranger/orgs',
      '/users/founder/orgs/secret/permissions',
      '/users/stranger/orgs/shared/permissions',
      '/users/stranger/orgs/secret/permissions',
      '/users/nobody/orgs/shared/permissions',
      '/users/ada/orgs/nothing/permissions',
      '/orgs/nothing',
      '/orgs/personal-1',
      '/users/founder',
      '/users/search?q=a',
      '/orgs',
      '/orgs/shared/members',
      '/orgs/shared/teams',
      '/user/emails',
      '/user/',
      '/',
      '/version',
      '/admin/users',
    ];
    for (const path of hidden) {
      const response = await host.party.ask(path, token);
      expect(response.status, path).toBe(404);
      // The same response to the letter, so that nothing reveals what exists.
      expect(response.body, path).toEqual(absent.body);
    }
  });

  it('is not confused by any path', async () => {
    const host = await startEmbeddedCodeHost();
    const { token } = await createMember(host);
    const tricks = [
      '/users/ada%2Forgs',
      '/users/%61da%00/orgs',
      '/users/%/orgs',
      '/users/%E0%A4%A/orgs',
      '/users/../user',
      '/../v1/user',
      '/./user',
      '/user/.',
      '/users/%2e%2e/orgs',
      '/users/ada%27%20or%201=1/orgs',
      '/users/%25/orgs',
      '/users/_da/orgs',
      `/users/${'a'.repeat(5000)}/orgs`,
      '//user',
      '/user;x',
      '/user%2Forgs',
      '/users//orgs',
      '/orgs/__proto__',
      '/orgs/constructor',
    ];
    for (const path of tricks) expect(await askRaw(host.baseUrl, path, token), path).toBe(404);
    expect(await askRaw(host.baseUrl, '/user', token)).toBe(200);
    expect((await host.party.ask('/users/%61da/orgs', token)).status).toBe(200);
  });

  it('only reads', async () => {
    const host = await startEmbeddedCodeHost();
    const { token } = await createMember(host);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await host.party.ask('/user', token, { method });
      expect(response.status, method).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, HEAD');
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('called too often says when to come back: per person, and per address for wrong tokens', async () => {
    const rateLimits = createRateLimits({ api_principal: { points: 3, seconds: 60 } });
    const { app, baseUrl } = await startConsoleServer({ rateLimits });
    const party = await createRelyingParty(app, baseUrl);
    const tokens: string[] = [];
    for (const login of ['ada', 'bob']) {
      const { browser } = await registerAndSignIn(baseUrl, { login });
      tokens.push((await party.signIn(browser)).access_token);
    }
    const [ada = '', bob = ''] = tokens;
    for (let count = 0; count < 3; count += 1) expect((await party.ask('/user', ada)).status).toBe(200);
    const limited = await party.ask('/user', ada);
    expect(limited).toMatchObject({ status: 429, body: { message: expect.any(String) } });
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await party.ask('/user', bob)).status).toBe(200);
    for (let count = 0; count < 3; count += 1) expect((await party.ask('/user', 'wrong')).status).toBe(401);
    expect((await party.ask('/user', 'wrong')).status).toBe(429);
  });
});
