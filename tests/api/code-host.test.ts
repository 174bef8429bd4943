import { describe, expect, it } from 'vitest';
import { BrowserClient } from '#tests/support/browser-client.ts';
import type { HostMood } from '#tests/support/fake-code-host.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { startWithCodeHost, type WithCodeHost } from '#tests/support/start-with-code-host.ts';

const MINUTE = 60_000;
const ADA = { login: 'ada', full_name: 'Ada Lovelace', email: 'ada@example.ca' };
const GRACE = { login: 'grace', full_name: 'Grace Hopper', email: 'grace@example.ca' };

interface Membership {
  permission: string;
  organization: {
    id: string;
    external_id: string;
    name: string;
    handle: string | null;
    public_url: string | null;
  };
}

async function membershipsOf(browser: BrowserClient): Promise<Membership[]> {
  const answer = await browser.request('/api/v1/user/organizations');
  if (answer.status !== 200) throw new Error(`HTTP ${answer.status}`);
  const memberships = (await answer.json()) as Membership[];
  return memberships.filter(({ organization }) => !organization.external_id.startsWith('personal-'));
}

async function namesOf(browser: BrowserClient): Promise<string[]> {
  return (await membershipsOf(browser)).map(
    ({ organization, permission }) => `${organization.name}: ${permission}`,
  );
}

/** Creates a site over tRPC and returns the status. */
async function createSite(browser: BrowserClient, organizationId: string, name: string): Promise<number> {
  const answer = await browser.sendJson('POST', '/api/trpc/sites.create', {
    json: { organization_id: organizationId, name },
  });
  await answer.body?.cancel();
  return answer.status;
}

async function actionsOf({ app }: WithCodeHost): Promise<string[]> {
  const rows = await app.db.selectFrom('audit_events').select(['action', 'id']).orderBy('id').execute();
  return rows.map(({ action }) => action);
}

/** Ada is signed in and writes in Rivers, which Grace owns. */
async function prepare(options: Parameters<typeof startWithCodeHost>[0] = {}) {
  const server = await startWithCodeHost(options);
  server.host.addPerson(ADA);
  server.host.addPerson(GRACE);
  const rivers = server.host.addOrganization(
    { handle: 'rivers', name: 'Rivers', website: 'https://rivers.example.ca' },
    { ada: 'write', grace: 'owner' },
  );
  const browser = await server.signIn('ada');
  const [membership] = await membershipsOf(browser);
  if (!membership) throw new Error('no membership');
  server.host.asked.length = 0;
  return { ...server, rivers, browser, id: membership.organization.id };
}

describe('a person of a code host', () => {
  it('has the organizations and the rights of there, from the first sign-in on', async () => {
    const { host, issuer, browser, rivers, id, signIn } = await prepare();
    const [membership] = await membershipsOf(browser);
    expect(membership).toMatchObject({
      permission: 'write',
      organization: {
        external_id: `org-${rivers.id}`,
        name: 'Rivers',
        handle: 'rivers',
        public_url: `${issuer.issuer}/rivers`,
        website: 'https://rivers.example.ca',
        is_managed_here: false,
      },
    });
    expect(await createSite(browser, id, 'blog')).toBe(200);
    const credential = { organization_id: id, name: 'CI', scopes: [] };
    const refused = await browser.sendJson('POST', '/api/trpc/credentials.create', { json: credential });
    expect(refused.status).toBe(403);
    expect(await namesOf(await signIn('grace'))).toEqual(['Rivers: owner']);
    expect(host.organizations.size).toBe(1);
  });

  it('asks for nothing again within a quarter of an hour', async () => {
    const { app, host, browser } = await prepare();
    app.clock.advance(15 * MINUTE - 1);
    await namesOf(browser);
    expect(host.asked).toEqual([]);
    app.clock.advance(1);
    await namesOf(browser);
    expect(host.asked).toHaveLength(3);
  });

  it('loses access in use, on every surface, when the membership is lost', async () => {
    const { app, browser, rivers, id } = await prepare();
    expect(await createSite(browser, id, 'before')).toBe(200);
    rivers.members.delete('ada');
    app.clock.advance(15 * MINUTE);
    expect(await createSite(browser, id, 'after')).toBe(404);
    const headers = { 'portage-organization': id };
    expect((await browser.request('/api/v1/sites', { headers })).status).toBe(404);
    expect(await namesOf(browser)).toEqual([]);
  });

  it('may do more or less when the permission has changed', async () => {
    const { app, browser, rivers, id } = await prepare();
    rivers.members.set('ada', 'read');
    app.clock.advance(15 * MINUTE);
    expect(await createSite(browser, id, 'blog')).toBe(403);
    rivers.members.set('ada', 'admin');
    app.clock.advance(15 * MINUTE);
    expect(await createSite(browser, id, 'blog')).toBe(200);
  });

  it('sees new names of people and organizations, in the same organization', async () => {
    const { app, host, browser, rivers, id } = await prepare();
    Object.assign(rivers, { handle: 'streams', name: 'Streams', website: '' });
    const ada = host.people.get('ada');
    Object.assign(ada ?? {}, { full_name: 'Countess Lovelace', email: 'countess@example.ca' });
    app.clock.advance(15 * MINUTE);
    const [membership] = await membershipsOf(browser);
    expect(membership?.organization).toMatchObject({ id, name: 'Streams', handle: 'streams', website: null });
    const user = await (await browser.request('/api/v1/user')).json();
    expect(user).toMatchObject({ full_name: 'Countess Lovelace', email: 'countess@example.ca' });
  });

  it('keeps the person and the organizations under a new login', async () => {
    const { app, host, browser, rivers } = await prepare();
    const ada = host.people.get('ada');
    if (ada) host.people.delete('ada');
    if (ada) host.people.set('countess', Object.assign(ada, { login: 'countess' }));
    rivers.members.delete('ada');
    rivers.members.set('countess', 'write');
    app.clock.advance(15 * MINUTE);
    expect(await namesOf(browser)).toEqual(['Rivers: write']);
    const user = await (await browser.request('/api/v1/user')).json();
    expect(user).toMatchObject({ login: 'countess' });
  });

  it('has all of more organizations than fit three pages', async () => {
    const { app, host, browser } = await prepare();
    for (let count = 0; count < 130; count += 1)
      host.addOrganization({ handle: `o-${count}`, name: `O ${count}` }, { ada: 'read' });
    app.clock.advance(15 * MINUTE);
    expect(await membershipsOf(browser)).toHaveLength(131);
  });

  it('leaves an organization behind that nobody belongs to, and finds it again', async () => {
    const { app, browser, rivers, id } = await prepare();
    expect(await createSite(browser, id, 'blog')).toBe(200);
    rivers.members.delete('ada');
    app.clock.advance(15 * MINUTE);
    await namesOf(browser);
    const detached = await app.db.selectFrom('organizations').selectAll().where('id', '=', id).execute();
    expect(detached).toMatchObject([{ detached_at: app.clock.now() }]);
    rivers.members.set('ada', 'owner');
    app.clock.advance(15 * MINUTE);
    expect(await membershipsOf(browser)).toMatchObject([{ permission: 'owner', organization: { id } }]);
    const sites = await browser.request('/api/v1/sites', { headers: { 'portage-organization': id } });
    expect(await sites.json()).toMatchObject([{ name: 'blog' }]);
  });

  it('keeps the workspace, which is nobody’s business there', async () => {
    const { app, browser, rivers } = await prepare();
    rivers.members.clear();
    app.clock.advance(15 * MINUTE);
    const context = await (await browser.request('/api/v1/organization/context')).json();
    expect(context).toMatchObject({ organization: { name: 'Ada Lovelace', handle: null } });
  });
});

describe('a code host that cannot be asked', () => {
  const hurts: HostMood[] = ['failing', 'overloaded', 'nonsense', 'endless', 'moved', 'hanging'];

  it.each(hurts)('because it is %s, changes nothing and is asked again a minute later', async (mood) => {
    const { app, host, browser, rivers } = await prepare();
    host.mood = mood;
    rivers.members.delete('ada');
    app.clock.advance(15 * MINUTE);
    expect(await namesOf(browser)).toEqual(['Rivers: write']);
    const asked = host.asked.length;
    expect(asked).toBeGreaterThan(0);
    host.mood = 'well';
    app.clock.advance(MINUTE - 1);
    expect(await namesOf(browser)).toEqual(['Rivers: write']);
    expect(host.asked).toHaveLength(asked);
    app.clock.advance(1);
    await pollUntil(
      () => namesOf(browser),
      (names) => {
        // One that hung may still be under way: the answer counts for the next minute.
        if (names.length > 0) app.clock.advance(MINUTE);
        return names.length === 0;
      },
    );
  });

  it('because it is gone, changes nothing until it is back', async () => {
    const { app, issuer, browser, rivers } = await prepare();
    await issuer.goAway();
    rivers.members.set('ada', 'admin');
    app.clock.advance(15 * MINUTE);
    expect(await namesOf(browser)).toEqual(['Rivers: write']);
    await issuer.comeBack();
    app.clock.advance(MINUTE);
    expect(await namesOf(browser)).toEqual(['Rivers: admin']);
  });

  it('lets people in with what was known before', async () => {
    const { app, host, rivers, signIn } = await prepare();
    host.mood = 'failing';
    rivers.members.delete('ada');
    expect(await namesOf(await signIn('ada'))).toEqual(['Rivers: write']);
    expect(await namesOf(await signIn('grace'))).toEqual([]);
    host.mood = 'well';
    app.clock.advance(MINUTE);
    expect(await namesOf(await signIn('ada'))).toEqual([]);
  });

  it('and lets in somebody new, whose organizations come a minute later', async () => {
    const { app, host, signIn } = await prepare();
    host.mood = 'failing';
    const grace = await signIn('grace');
    host.mood = 'well';
    expect(await namesOf(grace)).toEqual([]);
    app.clock.advance(MINUTE);
    expect(await namesOf(grace)).toEqual(['Rivers: owner']);
  });
});

describe('what a person granted', () => {
  it('is renewed when it has ended, with a token that works once', async () => {
    const { app, issuer, browser } = await prepare();
    for (let round = 0; round < 3; round += 1) {
      app.clock.advance(15 * MINUTE);
      expect(await namesOf(browser)).toEqual(['Rivers: write']);
    }
    expect(issuer.grantTypes.filter((type) => type === 'refresh_token')).toHaveLength(3);
  });

  it('is renewed when the host turns it down before its end', async () => {
    const { app, issuer, browser } = await prepare({ accessSeconds: 86_400 });
    app.clock.advance(15 * MINUTE);
    await namesOf(browser);
    expect(issuer.grantTypes).toEqual(['authorization_code']);
    issuer.revoke('access');
    app.clock.advance(15 * MINUTE);
    expect(await namesOf(browser)).toEqual(['Rivers: write']);
    expect(issuer.grantTypes).toEqual(['authorization_code', 'refresh_token']);
  });

  it('void, ends all of the person’s sessions, and nobody else’s', async () => {
    const server = await prepare();
    const { app, issuer, browser, signIn } = server;
    const second = await signIn('ada');
    issuer.revoke('all');
    const grace = await signIn('grace');
    app.clock.advance(15 * MINUTE);
    for (const own of [browser, second]) expect((await own.request('/api/v1/user')).status).toBe(401);
    expect((await grace.request('/api/v1/user')).status).toBe(200);
    expect((await actionsOf(server)).filter((action) => action === 'session.end_by_issuer')).toHaveLength(2);
    expect(await namesOf(await signIn('ada'))).toEqual(['Rivers: write']);
  });

  it('that cannot be renewed, ends with the access token', async () => {
    const { app, browser } = await prepare({ refreshes: false });
    app.clock.advance(15 * MINUTE);
    expect((await browser.request('/api/v1/user')).status).toBe(401);
  });

  it('is worth nothing with a host that knows somebody else by it', async () => {
    const { app, host, browser } = await prepare();
    host.answersAs = 'grace';
    app.clock.advance(15 * MINUTE);
    expect(await namesOf(browser)).toEqual(['Rivers: write']);
  });

  it('refused by the host at the very sign-in, lets nobody in', async () => {
    const { app, baseUrl, host } = await prepare();
    const before = await app.db.selectFrom('sessions').select('id').execute();
    host.mood = 'refusing';
    const { url } = await new BrowserClient(baseUrl).navigate('/auth/login');
    expect(url.href).toBe(`${baseUrl}/login?error=sign_in_refused`);
    expect(await app.db.selectFrom('sessions').select('id').execute()).toEqual(before);
  });

  it('is shown to no other issuer', async () => {
    const { app, host, browser } = await prepare();
    await app.db.updateTable('users').set({ issuer: 'https://earlier.example' }).execute();
    app.clock.advance(15 * MINUTE);
    expect((await browser.request('/api/v1/user')).status).toBe(401);
    expect(host.asked).toEqual([]);
  });

  it('lies sealed in the database, bound to its person', async () => {
    const { app, signIn } = await prepare();
    await signIn('grace');
    const [one, two] = await app.db.selectFrom('sign_in_grants').selectAll().execute();
    expect(one?.access_token_sealed).toMatch(/^v1\./);
    expect(one?.refresh_token_sealed).toMatch(/^v1\./);
    expect(() => app.sealer.open(one?.access_token_sealed ?? '', two?.user_id ?? '')).toThrow();
  });
});

describe('many requests at once', () => {
  it('ask the host once', async () => {
    const { app, host, browser, rivers } = await prepare();
    rivers.members.set('ada', 'admin');
    app.clock.advance(15 * MINUTE);
    const answers = await Promise.all(Array.from({ length: 20 }, () => namesOf(browser)));
    expect(new Set(answers.flat())).toEqual(new Set(['Rivers: admin']));
    expect(host.asked.filter((path) => path === '/user')).toHaveLength(1);
  });

  it('of a host that hangs, do not each wait for it', async () => {
    const { app, host, browser } = await prepare();
    host.mood = 'hanging';
    app.clock.advance(15 * MINUTE);
    const first = Promise.all([namesOf(browser), namesOf(browser)]);
    expect(await first).toEqual([['Rivers: write'], ['Rivers: write']]);
    for (let count = 0; count < 30; count += 1) expect(await namesOf(browser)).toEqual(['Rivers: write']);
    expect(host.asked).toHaveLength(1);
  });

  it('record a change once, and nothing where nothing changed', async () => {
    const server = await prepare();
    const { app, browser, rivers } = server;
    const before = await actionsOf(server);
    app.clock.advance(15 * MINUTE);
    await Promise.all([namesOf(browser), namesOf(browser), namesOf(browser)]);
    expect(await actionsOf(server)).toEqual(before);
    rivers.members.set('ada', 'admin');
    app.clock.advance(15 * MINUTE);
    await Promise.all([namesOf(browser), namesOf(browser), namesOf(browser)]);
    expect(await actionsOf(server)).toEqual([...before, 'member.update']);
  });
});
