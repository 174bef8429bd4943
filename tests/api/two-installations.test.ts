import { describe, expect, it } from 'vitest';
import { createIdentityClient } from '#server/services/identity/clients/create-identity-client.ts';
import { deleteIdentityClient } from '#server/services/identity/clients/delete-identity-client.ts';
import type { Membership } from '#server/services/organizations/schema.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import { type NewAccount, newAccount } from '#tests/support/client/sign-in.ts';
import { type ConsoleServer, startConsoleServer } from '#tests/support/server/console-server.ts';
import { travel } from './travel.ts';

const STALE_MS = 16 * 60_000;

interface TwoInstallations {
  first: ConsoleServer;
  second: ConsoleServer;
  clientId: string;
}

/**
 * Two consoles with their own databases; the second one's people and organizations are the first one's, by
 * API or groups.
 */
async function startTwo({ isCodeHost = true } = {}): Promise<TwoInstallations> {
  const first = await startConsoleServer();
  let clientId = '';
  const second = await startConsoleServer({
    environmentOf: async (baseUrl) => {
      const created = await createIdentityClient(operatorContext(first.app), {
        name: 'Second console',
        redirect_uris: [`${baseUrl}/auth/callback`],
      });
      clientId = created.client.client_id;
      return {
        OIDC_ISSUER: `${first.baseUrl}/identity`,
        OIDC_CLIENT_ID: clientId,
        OIDC_CLIENT_SECRET: created.client_secret,
        ...(isCodeHost ? { CODE_HOST_URL: `${first.baseUrl}/identity` } : {}),
      };
    },
  });
  return { first, second, clientId };
}

/** A person's browser, with separate cookies for both consoles. */
class Visitor {
  readonly atFirst: BrowserClient;
  readonly atSecond: BrowserClient;
  readonly account: NewAccount;

  constructor({ first, second }: TwoInstallations, login: string) {
    this.atFirst = new BrowserClient(first.baseUrl);
    this.atSecond = new BrowserClient(second.baseUrl);
    this.account = newAccount({ login, full_name: `Person ${login}`, email: `${login}@example.ca` });
  }

  /**
   * Signs in at one of the consoles; the first one asks for the password, or for a new account, or for
   * nothing.
   */
  async enter(console: BrowserClient, how: 'register' | 'sign-in' | 'known'): Promise<URL> {
    const both = [this.atFirst, this.atSecond];
    const query = how === 'register' ? '?register=1' : '';
    const page = await travel(both, `${console.baseUrl}/auth/login${query}`);
    const isAsked = page.pathname.startsWith('/identity/interaction/');
    if (isAsked === (how === 'known')) throw new Error(`arrived at ${page.href}`);
    if (!isAsked) return page;
    const isRegistration = page.searchParams.get('register') === 'true';
    if (isRegistration !== (how === 'register')) throw new Error(`the wrong form: ${page.href}`);
    if (page.origin !== this.atFirst.baseUrl) throw new Error('only the first console knows passwords');
    const response = await this.atFirst.sendJson('POST', `${page.pathname}/${how}`, this.account);
    if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
    const { redirect_to } = (await response.json()) as { redirect_to: string };
    return travel(both, redirect_to);
  }
}

async function ask(
  browser: BrowserClient,
  method: string,
  path: string,
  options: { organization?: string; body?: object } = {},
) {
  const headers: Record<string, string> = { 'sec-fetch-site': 'same-origin', origin: browser.baseUrl };
  if (options.organization) headers['portage-organization'] = options.organization;
  if (options.body) headers['content-type'] = 'application/json';
  const body = options.body && JSON.stringify(options.body);
  const response = await browser.request(`/api/v1${path}`, { method, headers, ...(body ? { body } : {}) });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

async function membershipsOf(browser: BrowserClient): Promise<Membership[]> {
  const { status, body } = await ask(browser, 'GET', '/user/organizations');
  if (status !== 200) throw new Error(`HTTP ${status}`);
  return body;
}

const named = (memberships: Membership[]) =>
  memberships
    .filter(({ organization }) => organization.external_id.startsWith('org-'))
    .map(({ organization, permission }) => `${organization.name}: ${permission}`);

/** Ada owns Rivers at the first console; Bob has accepted an invitation to write there. */
async function prepare(options: { isCodeHost?: boolean } = {}) {
  const world = await startTwo(options);
  const ada = new Visitor(world, 'ada');
  const bob = new Visitor(world, 'bob');
  await ada.enter(ada.atFirst, 'register');
  await bob.enter(bob.atFirst, 'register');
  const created = await ask(ada.atFirst, 'POST', '/organizations', {
    body: { name: 'Rivers', handle: 'rivers', website: 'https://rivers.example.ca' },
  });
  expect(created.status).toBe(201);
  const { id, external_id } = (created.body as Membership).organization;
  const invited = await ask(ada.atFirst, 'POST', '/organization/invitations', {
    organization: id,
    body: { permission: 'write' },
  });
  const token = new URL(invited.body.link).pathname.split('/').at(-1);
  const accepted = await ask(bob.atFirst, 'POST', `/invitations/${token}/accept`);
  expect(accepted.status).toBe(200);
  return { ...world, ada, bob, organizationId: id, externalId: external_id };
}

describe('a second installation that signs people in with the accounts of the first', () => {
  it('knows a person, their organizations and their permissions', async () => {
    const { first, ada, bob, externalId, second } = await prepare();
    const landed = await bob.enter(bob.atSecond, 'known');
    expect(landed.href).toBe(`${second.baseUrl}/`);
    await ada.enter(ada.atSecond, 'known');
    expect((await ask(bob.atSecond, 'GET', '/user')).body).toMatchObject({
      login: 'bob',
      full_name: 'Person bob',
      email: 'bob@example.ca',
    });
    const memberships = await membershipsOf(bob.atSecond);
    expect(memberships).toHaveLength(2);
    expect(memberships[0]?.organization.external_id).toMatch(/^personal-\d+$/);
    expect(memberships[1]).toMatchObject({
      permission: 'write',
      organization: {
        external_id: externalId,
        name: 'Rivers',
        handle: 'rivers',
        website: 'https://rivers.example.ca',
        is_managed_here: false,
        public_url: `${first.baseUrl}/identity/rivers`,
      },
    });
    expect(named(await membershipsOf(ada.atSecond))).toEqual(['Rivers: owner']);
    const publicPage = await travel(
      [bob.atFirst, bob.atSecond],
      memberships[1]?.organization.public_url ?? '',
    );
    expect(publicPage.href).toBe(`${first.baseUrl}/identity/organizations/rivers`);
  });

  it('lets both work in the same organization, each with their permission', async () => {
    const { ada, bob } = await prepare();
    await ada.enter(ada.atSecond, 'known');
    await bob.enter(bob.atSecond, 'known');
    const [, rivers] = await membershipsOf(bob.atSecond);
    const organization = rivers?.organization.id ?? '';
    const created = await ask(bob.atSecond, 'POST', '/sites', { organization, body: { name: 'blog' } });
    expect(created.status).toBe(201);
    const sites = await ask(ada.atSecond, 'GET', '/sites', { organization });
    expect(JSON.stringify(sites.body)).toContain('blog');
    const path = `/sites/${created.body.id}`;
    expect((await ask(bob.atSecond, 'DELETE', path, { organization })).status).toBe(403);
    expect((await ask(ada.atSecond, 'DELETE', path, { organization })).status).toBe(204);
    const renamed = await ask(ada.atSecond, 'PATCH', '/organization', {
      organization,
      body: { name: 'Mine' },
    });
    expect(renamed).toMatchObject({ status: 409, body: { code: 'organization_managed_elsewhere' } });
  });

  it('registers new people at the first, and asks for the password there', async () => {
    const world = await startTwo();
    const carl = new Visitor(world, 'carl');
    const landed = await carl.enter(carl.atSecond, 'register');
    expect(landed.href).toBe(`${world.second.baseUrl}/`);
    expect((await ask(carl.atSecond, 'GET', '/user')).body).toMatchObject({ login: 'carl' });
    expect((await ask(carl.atFirst, 'GET', '/user')).status).toBe(401);
    const elsewhere = new Visitor(world, 'carl');
    await elsewhere.enter(elsewhere.atSecond, 'sign-in');
    expect((await ask(elsewhere.atSecond, 'GET', '/user')).body).toMatchObject({ login: 'carl' });
    expect(await world.second.app.db.selectFrom('users').select('id').execute()).toHaveLength(1);
  });

  it('follows a new name, a new handle and a new permission during use', async () => {
    const { second, ada, bob, organizationId, externalId } = await prepare();
    await bob.enter(bob.atSecond, 'known');
    const before = await membershipsOf(bob.atSecond);
    const organization = organizationId;
    const profile = { name: 'Rivers and lakes', handle: 'waters' };
    expect((await ask(ada.atFirst, 'PATCH', '/organization', { organization, body: profile })).status).toBe(
      200,
    );
    const members = await ask(ada.atFirst, 'GET', '/organization/members', { organization });
    const list: { user_id: string; login: string }[] = members.body.items ?? members.body;
    const userId = list.find(({ login }) => login === 'bob')?.user_id;
    const demoted = await ask(ada.atFirst, 'PATCH', `/organization/members/${userId}`, {
      organization,
      body: { permission: 'read' },
    });
    expect(demoted.status).toBe(200);
    expect(named(await membershipsOf(bob.atSecond))).toEqual(['Rivers: write']);
    second.app.clock.advance(STALE_MS);
    const after = await membershipsOf(bob.atSecond);
    expect(named(after)).toEqual(['Rivers and lakes: read']);
    expect(after[1]?.organization).toMatchObject({
      id: before[1]?.organization.id,
      external_id: externalId,
      handle: 'waters',
    });
  });

  it('ends the access of a former member, even hours later, when tokens have been renewed', async () => {
    const { second, ada, bob, organizationId: organization } = await prepare();
    await ada.enter(ada.atSecond, 'known');
    await bob.enter(bob.atSecond, 'known');
    const [, rivers] = await membershipsOf(bob.atSecond);
    const there = rivers?.organization.id ?? '';
    for (let hours = 0; hours < 3; hours += 1) {
      second.app.clock.advance(2 * 3_600_000);
      expect((await ask(bob.atSecond, 'GET', '/sites', { organization: there })).status).toBe(200);
    }
    expect((await ask(bob.atFirst, 'POST', '/organization/leave', { organization })).status).toBe(204);
    second.app.clock.advance(STALE_MS);
    expect((await ask(bob.atSecond, 'GET', '/sites', { organization: there })).status).toBe(404);
    expect(named(await membershipsOf(bob.atSecond))).toEqual([]);
    expect(named(await membershipsOf(ada.atSecond))).toEqual(['Rivers: owner']);
  });

  it('ends a session whose person signed out at the first, or got a new password there', async () => {
    const { second, ada, bob } = await prepare();
    await ada.enter(ada.atSecond, 'known');
    await bob.enter(bob.atSecond, 'known');
    expect((await bob.atFirst.sendJson('POST', '/auth/logout', {})).status).toBe(204);
    const { full_name, email, password } = ada.account;
    const passwords = { current_password: password, new_password: 'quite another horse' };
    const profile = { full_name, email, avatar_url: null, ...passwords };
    expect((await ada.atFirst.sendJson('PUT', '/identity/profile', profile)).status).toBe(200);
    second.app.clock.advance(2 * 3_600_000);
    for (const { atSecond } of [ada, bob]) expect((await ask(atSecond, 'GET', '/user')).status).toBe(401);
    await expect(bob.enter(bob.atSecond, 'known')).rejects.toThrow('/identity/interaction/');
    await ada.enter(ada.atSecond, 'known');
    expect(named(await membershipsOf(ada.atSecond))).toEqual(['Rivers: owner']);
  });

  it('without the API learns the same from the groups claim, including the permission', async () => {
    const { second, ada, bob, organizationId: organization } = await prepare({ isCodeHost: false });
    await ada.enter(ada.atSecond, 'known');
    await bob.enter(bob.atSecond, 'known');
    expect(named(await membershipsOf(ada.atSecond))).toEqual(['rivers: owner']);
    expect(named(await membershipsOf(bob.atSecond))).toEqual(['rivers: write']);
    expect((await ask(bob.atFirst, 'POST', '/organization/leave', { organization })).status).toBe(204);
    second.app.clock.advance(STALE_MS);
    expect(named(await membershipsOf(bob.atSecond))).toEqual([]);
  });

  it('admits no one any more once an operator of the first deletes it', async () => {
    const { first, second, bob, clientId } = await prepare();
    await bob.enter(bob.atSecond, 'known');
    await deleteIdentityClient(operatorContext(first.app), { client_id: clientId });
    second.app.clock.advance(STALE_MS);
    // That the second one is unknown now says nothing about the person: what was known about them stays, and
    // a new sign-in fails.
    expect(named(await membershipsOf(bob.atSecond))).toEqual(['Rivers: write']);
    const landed = await bob.enter(bob.atSecond, 'known');
    expect(landed.href).toBe(`${first.baseUrl}/login?error=sign_in_refused`);
  });
});
