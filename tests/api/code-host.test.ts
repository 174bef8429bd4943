import { describe, expect, it } from 'vitest';
import type { BrowserClient } from '#tests/support/client/browser-client.ts';
import {
  actionsOf,
  membershipsOf,
  namesOf,
  prepareRivers,
} from '#tests/support/identity/code-host-person.ts';

const MINUTE = 60_000;

/** Creates a site over tRPC and returns the status. */
async function createSite(browser: BrowserClient, organizationId: string, name: string): Promise<number> {
  const response = await browser.sendJson('POST', '/api/trpc/sites.create', {
    json: { organization_id: organizationId, name },
  });
  await response.body?.cancel();
  return response.status;
}

describe('a person of a code host', () => {
  it('has the code host’s organizations and permissions, from the first sign-in on', async () => {
    const { host, issuer, browser, rivers, id, signIn } = await prepareRivers();
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

  it('is not looked up again within a quarter of an hour', async () => {
    const { app, host, browser } = await prepareRivers();
    app.clock.advance(15 * MINUTE - 1);
    await namesOf(browser);
    expect(host.asked).toEqual([]);
    app.clock.advance(1);
    await namesOf(browser);
    expect(host.asked).toHaveLength(3);
  });

  it('loses access, on every surface, when the membership is removed', async () => {
    const { app, browser, rivers, id } = await prepareRivers();
    expect(await createSite(browser, id, 'before')).toBe(200);
    rivers.members.delete('ada');
    app.clock.advance(15 * MINUTE);
    expect(await createSite(browser, id, 'after')).toBe(404);
    const headers = { 'portage-organization': id };
    expect((await browser.request('/api/v1/sites', { headers })).status).toBe(404);
    expect(await namesOf(browser)).toEqual([]);
  });

  it('may do more or less when the permission has changed', async () => {
    const { app, browser, rivers, id } = await prepareRivers();
    rivers.members.set('ada', 'read');
    app.clock.advance(15 * MINUTE);
    expect(await createSite(browser, id, 'blog')).toBe(403);
    rivers.members.set('ada', 'admin');
    app.clock.advance(15 * MINUTE);
    expect(await createSite(browser, id, 'blog')).toBe(200);
  });

  it('sees new names of people and organizations, in the same organization', async () => {
    const { app, host, browser, rivers, id } = await prepareRivers();
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
    const { app, host, browser, rivers } = await prepareRivers();
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

  it('has all of more organizations than fit on three pages', async () => {
    const { app, host, browser } = await prepareRivers();
    for (let count = 0; count < 130; count += 1)
      host.addOrganization({ handle: `o-${count}`, name: `O ${count}` }, { ada: 'read' });
    app.clock.advance(15 * MINUTE);
    expect(await membershipsOf(browser)).toHaveLength(131);
  });

  it('detaches an organization without members, and finds it again', async () => {
    const { app, browser, rivers, id } = await prepareRivers();
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

  it('keeps the workspace, which does not exist at the code host', async () => {
    const { app, browser, rivers } = await prepareRivers();
    rivers.members.clear();
    app.clock.advance(15 * MINUTE);
    const context = await (await browser.request('/api/v1/organization/context')).json();
    expect(context).toMatchObject({ organization: { name: 'Ada Lovelace', handle: null } });
  });
});

describe('many simultaneous requests', () => {
  it('call the host once', async () => {
    const { app, host, browser, rivers } = await prepareRivers();
    rivers.members.set('ada', 'admin');
    app.clock.advance(15 * MINUTE);
    const responses = await Promise.all(Array.from({ length: 20 }, () => namesOf(browser)));
    expect(new Set(responses.flat())).toEqual(new Set(['Rivers: admin']));
    expect(host.asked.filter((path) => path === '/user')).toHaveLength(1);
  });

  it('of a hanging host do not each wait for it', async () => {
    const { app, host, browser } = await prepareRivers();
    host.mood = 'hanging';
    app.clock.advance(15 * MINUTE);
    const first = Promise.all([namesOf(browser), namesOf(browser)]);
    expect(await first).toEqual([['Rivers: write'], ['Rivers: write']]);
    for (let count = 0; count < 30; count += 1) expect(await namesOf(browser)).toEqual(['Rivers: write']);
    expect(host.asked).toHaveLength(1);
  });

  it('record a change once, and nothing when nothing changed', async () => {
    const server = await prepareRivers();
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
