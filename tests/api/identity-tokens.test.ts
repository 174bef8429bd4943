import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createProviderAdapter } from '#server/identity/provider/provider-adapter.ts';
import { deleteIdentityClient } from '#server/services/identity/clients/delete-identity-client.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import { registerAndSignIn, signIn } from '#tests/support/client/sign-in.ts';
import { createMember, startEmbeddedCodeHost } from '#tests/support/identity/embedded-code-host.ts';
import { claimsOf, createRelyingParty } from '#tests/support/identity/relying-party.ts';

describe('a token of the embedded identity service', () => {
  it('issued to the console itself opens nothing', async () => {
    const host = await startEmbeddedCodeHost();
    const { browser } = await registerAndSignIn(host.baseUrl, { login: 'ada' });
    const verifier = 'v'.repeat(43);
    const query = new URLSearchParams({
      client_id: 'console',
      redirect_uri: `${host.baseUrl}/auth/callback`,
      response_type: 'code',
      scope: 'openid profile email read:user read:organization',
      state: 's',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const refused = await browser.request(`/identity/auth?${query}`);
    expect(refused.headers.get('location')).toContain('error=invalid_scope');
  });

  it('identifies the person and their groups, and says nothing about the browser', async () => {
    const host = await startEmbeddedCodeHost();
    const number = await host.createOrganization({ handle: 'rivers', name: 'Rivers' });
    const { browser, account } = await registerAndSignIn(host.baseUrl, { login: 'ada' });
    await host.setPermission(number, 'ada', 'write');
    const { id_token, access_token } = await host.party.signIn(browser);
    const expected = {
      name: account.full_name,
      preferred_username: 'ada',
      email: account.email,
      email_verified: false,
      groups: ['rivers:write'],
    };
    expect(claimsOf(id_token)).toMatchObject({ ...expected, aud: host.party.clientId });
    expect(claimsOf(id_token)).not.toHaveProperty('session_uid');
    const info = await fetch(`${host.baseUrl}/identity/me`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect(await info.json()).toMatchObject(expected);
    const plain = await host.party.signIn(browser, undefined, 'openid profile');
    expect(claimsOf(plain.id_token)).not.toHaveProperty('groups');
    expect(claimsOf(plain.id_token)).not.toHaveProperty('email');
  });

  it('is renewed for as long as the person stays signed in, each renewal once', async () => {
    const host = await startEmbeddedCodeHost();
    const { tokens } = await createMember(host);
    const renew = (refresh_token: string, secret?: string) =>
      host.party.askToken({ grant_type: 'refresh_token', refresh_token }, secret);
    expect((await renew(tokens.refresh_token, 'wrong')).status).toBe(401);
    const other = await createRelyingParty(host.app, host.baseUrl, 'Another');
    const stolen = await other.askToken({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
    expect(stolen).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const wider = await host.party.askToken({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      scope: 'openid write:organization',
    });
    expect(wider.body).toMatchObject({ error: 'invalid_scope' });

    const renewed = await renew(tokens.refresh_token);
    expect(renewed.status).toBe(200);
    const { access_token = '', refresh_token = '' } = renewed.body;
    expect(refresh_token).not.toBe(tokens.refresh_token);
    expect((await host.party.ask('/user', access_token)).status).toBe(200);
    // Used twice, one of the two was a thief: everything of that sign-in ends.
    expect((await renew(tokens.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await renew(refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await host.party.ask('/user', access_token)).status).toBe(401);
  });

  it('of one browser and day belongs to one grant, however often the person returns', async () => {
    const host = await startEmbeddedCodeHost();
    const { browser, token } = await createMember(host);
    const grantsOf = async () => {
      const rows = await host.app.db
        .selectFrom('identity_payloads')
        .select('grant_id')
        .distinct()
        .where('model', '=', 'RefreshToken')
        .execute();
      return rows.map(({ grant_id }) => grant_id ?? '');
    };
    await host.party.signIn(browser);
    const [first = '', ...more] = await grantsOf();
    expect(more).toEqual([]);
    const stored = createProviderAdapter(host.app, 'Grant');
    const twoDaysAgo = Math.floor(Date.now() / 1000) - 2 * 86_400;
    await stored.upsert(first, { ...(await stored.find(first)), iat: twoDaysAgo }, 60);
    await host.party.signIn(browser);
    expect(await grantsOf()).toHaveLength(2);
    expect((await host.party.ask('/user', token)).status).toBe(200);
  });

  it('outlives the browser’s session there, which expires after hours', async () => {
    const host = await startEmbeddedCodeHost();
    const { tokens, token } = await createMember(host);
    await host.app.db.deleteFrom('identity_payloads').where('model', '=', 'Session').execute();
    expect((await host.party.ask('/user', token)).status).toBe(200);
    const renewed = await host.party.askToken({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    });
    expect(renewed.status).toBe(200);
  });

  it('ends with the sign-out of the browser through which it was issued', async () => {
    const host = await startEmbeddedCodeHost();
    const { tokens, token, browser, account } = await createMember(host);
    const phone = new BrowserClient(host.baseUrl);
    await signIn(phone, account);
    const onPhone = await host.party.signIn(phone);
    expect((await browser.sendJson('POST', '/auth/logout', {})).status).toBe(204);
    expect((await host.party.ask('/user', token)).status).toBe(401);
    const renewed = await host.party.askToken({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    });
    expect(renewed.body).toMatchObject({ error: 'invalid_grant' });
    expect((await host.party.ask('/user', onPhone.access_token)).status).toBe(200);
  });

  it('ends with a changed password, even if the browser never opened this console', async () => {
    const host = await startEmbeddedCodeHost();
    const { browser, account, token } = await createMember(host);
    const elsewhere = new BrowserClient(host.baseUrl);
    const foreign = await host.party.signIn(elsewhere, account);
    expect((await host.party.ask('/user', foreign.access_token)).status).toBe(200);
    const changed = {
      full_name: 'Ada',
      email: account.email,
      avatar_url: null,
      current_password: account.password,
      new_password: 'quite another horse',
    };
    expect((await browser.sendJson('PUT', '/identity/profile', changed)).status).toBe(200);
    for (const ended of [token, foreign.access_token]) {
      expect((await host.party.ask('/user', ended)).status).toBe(401);
    }
    await expect(host.party.signIn(elsewhere)).rejects.toThrow('asked to sign in');
    expect((await browser.request('/api/v1/user')).status).toBe(200);
    expect((await host.party.signIn(browser)).access_token).toBeTruthy();
  });

  it('ends when it has expired, with its program, and with its account', async () => {
    const host = await startEmbeddedCodeHost();
    const { token, tokens, browser } = await createMember(host);
    expect(tokens.expires_in).toBe(3600);
    const other = await createRelyingParty(host.app, host.baseUrl, 'Another');
    const ofOther = (await other.signIn(browser)).access_token;
    await deleteIdentityClient(operatorContext(host.app), { client_id: other.clientId });
    expect((await other.ask('/user', ofOther)).status).toBe(401);
    expect((await other.askToken({ grant_type: 'refresh_token', refresh_token: 'x' })).status).toBe(401);
    await expect(other.signIn(browser)).rejects.toThrow('/login?error=sign_in_refused');
    expect((await host.party.ask('/user', token)).status).toBe(200);
    const stored = createProviderAdapter(host.app, 'AccessToken');
    const payload = await stored.find(token);
    await stored.upsert(token, { ...payload, exp: Math.floor(Date.now() / 1000) - 60 }, 60);
    expect((await host.party.ask('/user', token)).status).toBe(401);
    const { access_token } = await host.party.signIn(browser);
    expect((await host.party.ask('/user', access_token)).status).toBe(200);
    await host.app.db.deleteFrom('identity_accounts').where('login', '=', 'ada').execute();
    expect((await host.party.ask('/user', access_token)).status).toBe(401);
  });

  it('can be revoked by the program that holds it, and by no other', async () => {
    const host = await startEmbeddedCodeHost();
    const { token, tokens } = await createMember(host);
    const other = await createRelyingParty(host.app, host.baseUrl, 'Another');
    await other.revoke(token).catch(() => undefined);
    expect((await host.party.ask('/user', token)).status).toBe(200);
    await host.party.revoke(tokens.refresh_token);
    expect((await host.party.ask('/user', token)).status).toBe(401);
  });

  it('is only issued with PKCE, to registered addresses, to a client that knows the secret', async () => {
    const host = await startEmbeddedCodeHost();
    const { browser } = await registerAndSignIn(host.baseUrl, { login: 'ada' });
    const ask = async (changes: Record<string, string>) => {
      const query = new URLSearchParams({
        client_id: host.party.clientId,
        redirect_uri: 'http://127.0.0.1:9/callback',
        response_type: 'code',
        scope: 'openid',
        state: 's',
        code_challenge: 'a'.repeat(43),
        code_challenge_method: 'S256',
        ...changes,
      });
      return (await browser.request(`/identity/auth?${query}`)).headers.get('location') ?? '';
    };
    expect(await ask({})).toMatch(/^http:\/\/127\.0\.0\.1:9\/callback\?code=/);
    for (const redirect_uri of [
      'http://127.0.0.1:9/',
      'http://127.0.0.1:10/callback',
      'https://evil.example/',
      'http://127.0.0.1:9/callback?x=y',
    ]) {
      expect(await ask({ redirect_uri }), redirect_uri).toBe(`${host.baseUrl}/login?error=sign_in_refused`);
    }
    expect(await ask({ code_challenge: '' })).toContain('error=invalid_request');
    expect(await ask({ scope: 'openid write:user' })).not.toContain('write');
    const guess = await host.party.askToken(
      { grant_type: 'authorization_code', code: 'x', redirect_uri: 'x' },
      'guess',
    );
    expect(guess).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    for (const grant_type of ['client_credentials', 'password', 'implicit']) {
      const refused = await host.party.askToken({ grant_type });
      expect(refused.status, grant_type).toBe(400);
    }
  });
});

it('a language requested by another program is passed on to the sign-in page', async () => {
  const host = await startEmbeddedCodeHost();
  const query = new URLSearchParams({
    client_id: host.party.clientId,
    redirect_uri: 'http://127.0.0.1:9/callback',
    response_type: 'code',
    scope: 'openid',
    ui_locales: 'fr-CA en',
    code_challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const response = await new BrowserClient(host.baseUrl).request(`/identity/auth?${query}`);
  const page = new URL(response.headers.get('location') ?? '', host.baseUrl);
  expect(page.pathname).toMatch(/^\/identity\/interaction\//);
  expect(page.searchParams.get('ui_locales')).toBe('fr-CA en');
});
