import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import { sessionCookieOf } from '#tests/support/client/sign-in.ts';
import { type ExternalIssuer, startExternalIssuer } from '#tests/support/identity/external-issuer.ts';
import { listenOnFreePort, startConsoleServer } from '#tests/support/server/console-server.ts';

/** Starts a console that trusts an issuer started just before it. Each knows the other's address. */
async function startBoth(
  change: (issuer: ExternalIssuer) => Record<string, string> = () => ({}),
  options: { rendersPages?: boolean } = {},
) {
  const issuers: ExternalIssuer[] = [];
  const server = await startConsoleServer({
    ...options,
    environmentOf: async (baseUrl) => {
      const issuer = await startExternalIssuer(`${baseUrl}/auth/callback`);
      issuers.push(issuer);
      return {
        OIDC_ISSUER: issuer.issuer,
        OIDC_CLIENT_ID: issuer.clientId,
        OIDC_CLIENT_SECRET: issuer.clientSecret,
        ...change(issuer),
      };
    },
  });
  const [issuer] = issuers;
  if (!issuer) throw new Error('no issuer');
  return { ...server, issuer, browser: new BrowserClient(server.baseUrl) };
}

describe('with another issuer', () => {
  it('a person signs in there and has a workspace here', async () => {
    const { app, issuer, browser } = await startBoth();
    const { url } = await browser.navigate('/auth/login?return_to=/somewhere');
    expect(url.pathname).toBe('/somewhere');
    const user = await (await browser.request('/api/v1/user')).json();
    expect(user).toMatchObject({ login: 'grace', full_name: 'Grace Hopper', email: 'grace@example.ca' });
    const row = await app.db.selectFrom('users').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ issuer: issuer.issuer, subject: 'auth0|f00' });
    const workspace = await app.db.selectFrom('organizations').selectAll().executeTakeFirstOrThrow();
    expect(workspace.external_id).toMatch(/^personal-\d+$/);
  });

  it('the numeric id of a code host identifies the workspace, and a later sign-in updates the profile', async () => {
    const { app, issuer, browser } = await startBoth();
    issuer.person = { sub: '42', name: 'Ada', preferred_username: 'ada', email: 'ada@example.ca' };
    await browser.navigate('/auth/login');
    issuer.person = { ...issuer.person, name: 'Ada Lovelace', picture: 'https://code.example.ca/ada.png' };
    await browser.navigate('/auth/login');
    const user = await (await browser.request('/api/v1/user')).json();
    expect(user).toMatchObject({ full_name: 'Ada Lovelace', avatar_url: 'https://code.example.ca/ada.png' });
    const workspaces = await app.db.selectFrom('organizations').select('external_id').execute();
    expect(workspaces).toEqual([{ external_id: 'personal-42' }]);
  });

  it('missing or nonsensical claims do no harm', async () => {
    const { issuer, browser } = await startBoth();
    issuer.person = { sub: 'nobody', name: ['x'], picture: 'javascript:alert(1)', email: '' };
    await browser.navigate('/auth/login');
    const user = await (await browser.request('/api/v1/user')).json();
    expect(user).toMatchObject({ login: 'nobody', full_name: 'nobody', avatar_url: null, email: '' });
  });

  it('requests the scope that a code host remembers, only from a code host', async () => {
    const plain = await startBoth();
    await plain.browser.navigate('/auth/login');
    expect(plain.issuer.requests[0]?.searchParams.get('scope')).toBe('openid profile email');
    const host = await startBoth((issuer) => ({ CODE_HOST_URL: issuer.issuer }));
    const begun = await host.browser.request('/auth/login');
    expect(new URL(begun.headers.get('location') ?? '').searchParams.get('scope')).toBe(
      'openid profile email groups read:user read:organization',
    );
  });

  it('never requests a registration from an issuer that does not offer it', async () => {
    const { issuer, browser } = await startBoth();
    await browser.navigate('/auth/login?register=1');
    expect(issuer.requests[0]?.searchParams.get('prompt')).toBeNull();
    expect(sessionCookieOf(browser)).not.toBe('');
  });

  it('has no identity service of its own', async () => {
    const { browser, baseUrl } = await startBoth();
    for (const path of ['/identity/auth', '/identity/jwks', '/identity/.well-known/openid-configuration']) {
      expect(await (await browser.request(path)).text()).toBe(`page ${path}`);
    }
    const write = await browser.sendJson('POST', `${baseUrl}/identity/interaction/x/register`, {});
    expect(write.status).toBe(405);
  });

  it('has no pages of organizations and invitations', async () => {
    const { browser } = await startBoth(undefined, { rendersPages: true });
    for (const path of ['organizations/new', 'organizations/rivieres', 'invitations/x']) {
      const response = await browser.request(`/identity/${path}`);
      expect([path, response.status]).toEqual([path, 404]);
      expect(await response.text()).toContain('Page not found');
    }
  });

  it('that does not respond, people are told', async () => {
    const gone = createServer((_, response) => response.destroy());
    const issuer = await listenOnFreePort(gone);
    const environment = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'portage' };
    const { baseUrl } = await startConsoleServer({ environment });
    const answer = await new BrowserClient(baseUrl).request('/auth/login');
    expect(answer.headers.get('location')).toBe(`${baseUrl}/login?error=sign_in_unavailable`);
  });

  it('that rejects the console’s secret, no one is signed in', async () => {
    const { app, browser, baseUrl } = await startBoth(() => ({ OIDC_CLIENT_SECRET: 'wrong' }));
    const { url } = await browser.navigate('/auth/login?return_to=/somewhere');
    expect(url.href).toBe(`${baseUrl}/login?error=sign_in_refused&return_to=%2Fsomewhere`);
    expect(await app.db.selectFrom('users').selectAll().execute()).toEqual([]);
  });
});

describe('a sign-out at the issuer', () => {
  const notify = (baseUrl: string, token: string) =>
    fetch(`${baseUrl}/auth/backchannel-logout`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
    });

  it('ends the person’s session here', async () => {
    const { baseUrl, issuer, browser } = await startBoth();
    await browser.navigate('/auth/login');
    expect((await browser.request('/api/v1/user')).status).toBe(200);
    const response = await notify(baseUrl, await issuer.signLogoutToken({ sub: issuer.person.sub }));
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect((await browser.request('/api/v1/user')).status).toBe(401);
  });

  it('is only accepted from the issuer itself, for us, current, and about a sign-out', async () => {
    const { baseUrl, issuer, browser } = await startBoth();
    await browser.navigate('/auth/login');
    const { sub } = issuer.person;
    const now = Math.floor(Date.now() / 1000);
    const good = await issuer.signLogoutToken({ sub });
    const tokens = [
      '',
      'x.y.z',
      `${good.slice(0, -4)}AAAA`,
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.`,
      await issuer.signLogoutToken({ sub, aud: 'another client' }),
      await issuer.signLogoutToken({ sub, iss: 'https://evil.example' }),
      await issuer.signLogoutToken({ sub, iat: now - 3600 }),
      await issuer.signLogoutToken({ sub, exp: now - 60 }),
      await issuer.signLogoutToken({ sub, events: undefined }),
      await issuer.signLogoutToken({ sub, events: { other: {} } }),
      await issuer.signLogoutToken({ sub, nonce: 'n' }),
      await issuer.signLogoutToken({}),
    ];
    for (const token of tokens) {
      const response = await notify(baseUrl, token);
      expect(response.status, token).toBe(400);
      expect(await response.json()).toMatchObject({ code: 'invalid_input' });
    }
    expect((await browser.request('/api/v1/user')).status).toBe(200);
  });

  it('is ignored where people sign in with us', async () => {
    const { baseUrl } = await startConsoleServer();
    expect((await notify(baseUrl, 'x')).status).toBe(404);
  });
});
