import { describe, expect, it } from 'vitest';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import type { ExternalIssuerOptions } from '#tests/support/identity/external-issuer.ts';
import { startWithIssuer } from '#tests/support/identity/start-with-code-host.ts';

const MINUTE = 60_000;
const DAY_SECONDS = 86_400;
const ADA = { sub: 'auth0|ada', name: 'Ada Lovelace', preferred_username: 'ada', email: 'ada@example.ca' };

async function namesOf(browser: BrowserClient): Promise<string[]> {
  const response = await browser.request('/api/v1/user/organizations');
  if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
  const memberships = (await response.json()) as {
    permission: string;
    organization: { name: string; external_id: string };
  }[];
  return memberships
    .filter(({ organization }) => !organization.external_id.startsWith('personal-'))
    .map(({ organization, permission }) => `${organization.name}: ${permission}`);
}

/** Ada has signed in, with the issuer's groups. */
async function prepare(
  options: ExternalIssuerOptions,
  groups: unknown,
  environment: Record<string, string> = {},
) {
  const server = await startWithIssuer(options, () => environment);
  const { issuer, baseUrl } = server;
  const setGroups = (next: unknown) => {
    issuer.person = next === undefined ? ADA : { ...ADA, groups: next };
  };
  const signIn = async () => {
    const browser = new BrowserClient(baseUrl);
    await browser.navigate('/auth/login');
    return browser;
  };
  setGroups(groups);
  return { ...server, setGroups, signIn, browser: await signIn() };
}

describe('groups at a sign-in', () => {
  it.each(['id_token', 'userinfo'] as const)(
    'become the person’s organizations, read from the %s',
    async (place) => {
      const { app, browser } = await prepare({ groupsIn: place }, ['/lakes', 'rivers:owner', 'rivers:read']);
      expect(await namesOf(browser)).toEqual(['lakes: write', 'rivers: owner']);
      const rows = await app.db
        .selectFrom('organizations')
        .select(['external_id', 'handle', 'upstream_id'])
        .where('issuer', 'is not', null)
        .orderBy('name')
        .execute();
      expect(rows).toMatchObject([
        { upstream_id: 'lakes', handle: null },
        { upstream_id: 'rivers', handle: null },
      ]);
      for (const { external_id } of rows) expect(external_id).toMatch(/^org-\d{15,19}$/);
    },
  );

  it('count below the configured prefix and grant the configured permission', async () => {
    const settings = { OIDC_GROUP_PREFIX: 'hosting-', OIDC_GROUP_PERMISSION: 'read' };
    const { browser } = await prepare({ groupsIn: 'userinfo' }, ['hosting-rivers', 'staff'], settings);
    expect(await namesOf(browser)).toEqual(['rivers: read']);
  });

  it('are a single one when the claim is a text, and none when it is missing or nonsense', async () => {
    const { browser, setGroups, signIn } = await prepare({ groupsIn: 'userinfo' }, 'rivers');
    expect(await namesOf(browser)).toEqual(['rivers: write']);
    for (const nonsense of [undefined, { rivers: true }, [[]], 5]) {
      setGroups(nonsense);
      expect(await namesOf(await signIn())).toEqual([]);
    }
  });

  it('are requested with their scope only if the issuer offers it', async () => {
    const offered = await prepare({ scopes: ['groups'] }, undefined);
    expect(offered.issuer.requests[0]?.searchParams.get('scope')).toBe('openid profile email groups');
    const plain = await prepare({ groupsIn: 'userinfo' }, undefined);
    expect(plain.issuer.requests[0]?.searchParams.get('scope')).toBe('openid profile email');
  });

  it('that cannot be read leave the known ones, and the person is let in', async () => {
    let isBroken = false;
    const { app, signIn, setGroups } = await prepare(
      {
        groupsIn: 'userinfo',
        accessSeconds: DAY_SECONDS,
        fullIdToken: true,
        answer: async (_, response, url) => {
          if (!isBroken || url.pathname !== '/me') return false;
          response.writeHead(503).end();
          return true;
        },
      },
      ['rivers'],
    );
    isBroken = true;
    setGroups(['lakes']);
    const browser = await signIn();
    expect(await namesOf(browser)).toEqual(['rivers: write']);
    isBroken = false;
    app.clock.advance(15 * MINUTE);
    expect(await namesOf(browser)).toEqual(['lakes: write']);
  });
});

describe('groups in use', () => {
  it('are followed with the access token while it is valid, then with the next sign-in', async () => {
    const { app, browser, setGroups, signIn } = await prepare({ groupsIn: 'userinfo', accessSeconds: 1200 }, [
      'rivers',
      'lakes',
    ]);
    setGroups(['lakes:admin']);
    app.clock.advance(15 * MINUTE);
    expect(await namesOf(browser)).toEqual(['lakes: admin']);
    setGroups([]);
    app.clock.advance(15 * MINUTE);
    expect(await namesOf(browser)).toEqual(['lakes: admin']);
    expect(await namesOf(await signIn())).toEqual([]);
  });

  it.each(['id_token', 'userinfo'] as const)(
    'from the %s are followed for as long as the grant can be renewed',
    async (place) => {
      const { app, issuer, browser, setGroups } = await prepare({ groupsIn: place, refreshes: true }, [
        'rivers',
      ]);
      setGroups(['lakes']);
      app.clock.advance(15 * MINUTE);
      expect(await namesOf(browser)).toEqual(['lakes: write']);
      setGroups(undefined);
      app.clock.advance(15 * MINUTE);
      expect(await namesOf(browser)).toEqual([]);
      expect(issuer.unusedRefreshTokens()).toBe(1);
    },
  );

  it('only in the ID token stay until the next sign-in if nothing can be renewed', async () => {
    const { app, browser, setGroups, signIn } = await prepare(
      { groupsIn: 'id_token', accessSeconds: DAY_SECONDS },
      ['rivers'],
    );
    setGroups([]);
    app.clock.advance(15 * MINUTE);
    expect(await namesOf(browser)).toEqual(['rivers: write']);
    expect(await namesOf(await signIn())).toEqual([]);
  });

  it('end the person’s sessions when the issuer has revoked the grant', async () => {
    for (const options of [{ refreshes: true }, { accessSeconds: DAY_SECONDS }]) {
      const { app, issuer, browser, signIn } = await prepare({ groupsIn: 'userinfo', ...options }, [
        'rivers',
      ]);
      issuer.revoke('all');
      app.clock.advance(15 * MINUTE);
      expect((await browser.request('/api/v1/user')).status).toBe(401);
      expect(await namesOf(await signIn())).toEqual(['rivers: write']);
    }
  });

  it('stay as they are while the issuer is unavailable', async () => {
    const { app, issuer, browser, setGroups } = await prepare({ groupsIn: 'userinfo', refreshes: true }, [
      'rivers',
    ]);
    await issuer.goAway();
    setGroups([]);
    app.clock.advance(15 * MINUTE);
    expect(await namesOf(browser)).toEqual(['rivers: write']);
    await issuer.comeBack();
    app.clock.advance(MINUTE);
    expect(await namesOf(browser)).toEqual([]);
  });

  it('update the profile and keep what they do not mention', async () => {
    const { app, issuer, browser } = await prepare({ groupsIn: 'userinfo', accessSeconds: DAY_SECONDS }, []);
    issuer.person = { sub: ADA.sub, name: 'Countess Lovelace', groups: [] };
    app.clock.advance(15 * MINUTE);
    await namesOf(browser);
    const user = await (await browser.request('/api/v1/user')).json();
    expect(user).toMatchObject({ full_name: 'Countess Lovelace', login: 'ada', email: 'ada@example.ca' });
  });
});
