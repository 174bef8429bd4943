import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLogger } from '#server/logging/logger.ts';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import { newAccount, openInteraction, registerAndSignIn, signIn } from '#tests/support/client/sign-in.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

describe('the identity service', () => {
  it('serves its client in our console and no one else', async () => {
    const { baseUrl } = await startConsoleServer();
    const browser = new BrowserClient(baseUrl);
    const ask = (changes: Record<string, string>) => {
      const query = new URLSearchParams({
        client_id: 'console',
        redirect_uri: `${baseUrl}/auth/callback`,
        response_type: 'code',
        scope: 'openid',
        state: 's',
        code_challenge: 'a'.repeat(43),
        code_challenge_method: 'S256',
        ...changes,
      });
      return browser.request(`/identity/auth?${query}`);
    };
    expect((await ask({})).headers.get('location')).toContain('/identity/interaction/');
    const foreign: Record<string, string>[] = [
      { client_id: 'other' },
      { redirect_uri: 'https://evil.example/callback' },
      { redirect_uri: `${baseUrl}/auth/callback/../../x` },
      { redirect_uri: `${baseUrl}/auth/callback?x=y` },
    ];
    for (const changes of foreign) {
      const refused = await ask(changes);
      expect(refused.headers.get('location'), JSON.stringify(changes)).toBe(
        `${baseUrl}/login?error=sign_in_refused`,
      );
    }
    const weak: Record<string, string>[] = [
      { response_type: 'token' },
      { code_challenge: '' },
      { code_challenge_method: 'plain' },
    ];
    for (const changes of weak) {
      const location = (await ask(changes)).headers.get('location') ?? '';
      const response = new URLSearchParams(location.split(/[?#]/)[1]);
      expect(response.get('error'), JSON.stringify(changes)).toMatch(/invalid_request|unsupported/);
      expect(response.has('code')).toBe(false);
    }
  });

  it('issues no tokens without the console’s secret', async () => {
    const { baseUrl } = await startConsoleServer();
    const response = await new BrowserClient(baseUrl).request('/identity/token', {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('console:guess').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'authorization_code', code: 'x', redirect_uri: 'x' }),
    });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: 'invalid_client' });
  });

  it('leaves its pages to the console and serves nothing else', async () => {
    const { baseUrl } = await startConsoleServer();
    const browser = new BrowserClient(baseUrl);
    for (const path of ['/identity/register', '/identity/profile', '/identity/interaction/abc']) {
      expect(await (await browser.request(path)).text()).toBe(`page ${path}`);
    }
    const absent = [
      '',
      '/',
      '/reg',
      '/session/end',
      '/device',
      '/token/introspection',
      '/interaction/abc/abort',
      '/x',
    ];
    for (const path of absent) {
      const response = await browser.request(`/identity${path}`);
      expect(response.status, path).toBe(404);
      expect(await response.json()).toMatchObject({ code: 'not_found' });
      const asPerson = await browser.request(`/identity${path}`, { headers: { accept: 'text/html' } });
      expect(await asPerson.text(), 'the page of an unknown address').toBe(`page /identity${path}`);
    }
    expect((await browser.request('/identity/profile/data', { method: 'DELETE' })).status).toBe(405);
  });

  it('rejects bodies that are too large or not a JSON object', async () => {
    const { baseUrl } = await startConsoleServer();
    const browser = new BrowserClient(baseUrl);
    const send = (body: string) =>
      browser.request('/identity/profile', {
        method: 'PUT',
        headers: { 'content-type': 'application/json', origin: baseUrl },
        body,
      });
    for (const body of ['', '{', '[]', 'null', '"x"']) expect((await send(body)).status, body).toBe(400);
    expect((await send(JSON.stringify({ x: 'x'.repeat(20_000) }))).status).toBe(413);
  });

  it('shows and changes the profile of the signed-in person, and of no one else', async () => {
    const { baseUrl } = await startConsoleServer();
    const { browser, account } = await registerAndSignIn(baseUrl);
    const { password, ...profile } = account;
    const before = await browser.request('/identity/profile/data');
    expect(await before.json()).toEqual({ ...profile, avatar_url: null, email_verified: false });
    expect(before.headers.get('ratelimit-policy')).toMatch(/^"api_principal";q=\d+;w=60$/);
    expect(before.headers.get('ratelimit')).toMatch(/^"api_principal";r=\d+;t=\d+$/);
    const changed = { full_name: 'Countess of Lovelace', email: account.email, avatar_url: null };
    const saved = await browser.sendJson('PUT', '/identity/profile', changed);
    expect(await saved.json()).toEqual({ ...changed, login: account.login, email_verified: false });
    const user = await (await browser.request('/api/v1/user')).json();
    expect(user).toMatchObject({ full_name: 'Countess of Lovelace' });

    const nobody = new BrowserClient(baseUrl);
    for (const response of [
      await nobody.request('/identity/profile/data'),
      await nobody.sendJson('PUT', '/identity/profile', changed),
    ]) {
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ code: 'unauthenticated' });
    }
    const newPassword = 'quite another horse';
    const passwords = { ...changed, current_password: password, new_password: newPassword };
    expect((await browser.sendJson('PUT', '/identity/profile', passwords)).status).toBe(200);
    await signIn(new BrowserClient(baseUrl), { email: account.email, password: newPassword });
  });

  it('never writes passwords, codes, tokens or cookies to the log', async () => {
    const lines: string[] = [];
    const sink = new Writable({
      write(chunk, _, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const { baseUrl } = await startConsoleServer({ logger: createLogger('trace', sink) });
    const password = 'a horse that nobody may see';
    const { browser, account, cookie } = await registerAndSignIn(baseUrl, { password });
    const other = new BrowserClient(baseUrl);
    const wrong = { email: account.email, password: 'another unseen horse' };
    await expect(signIn(other, wrong)).rejects.toThrow('sign_in_failed');
    const changed = { full_name: 'Ada', email: account.email, avatar_url: null };
    const passwords = { ...changed, current_password: password, new_password: 'yet another unseen horse' };
    await browser.sendJson('PUT', '/identity/profile', passwords);
    await browser.sendJson('PUT', '/identity/profile', { ...passwords, new_password: 'short' });
    await browser.request('/auth/callback?code=an-unseen-code&state=an-unseen-state');
    const log = lines.join('');
    expect(lines.length).toBeGreaterThan(5);
    expect(log).not.toMatch(/horse|unseen/);
    expect(log).not.toContain(cookie.split('=')[1]);
    expect(log).not.toMatch(/[?&](code|state|nonce)=/);
  });
});

describe('on https behind a proxy', () => {
  it('everything works with Secure, host-bound cookies, whatever hostname the proxy sends', async () => {
    const publicUrl = 'https://console.example.ca';
    const environment = { PUBLIC_URL: publicUrl, REGISTRATION: 'open' };
    const { baseUrl } = await startConsoleServer({ environmentOf: async () => environment });
    const browser = new BrowserClient(publicUrl, { reachedAt: baseUrl });
    const account = {
      full_name: 'Ada',
      login: 'ada',
      email: 'ada@example.ca',
      password: 'correct horse battery',
    };
    const isPage = (url: URL) => url.pathname.startsWith('/identity/interaction/');
    const { url: page } = await browser.navigate('/auth/login?register=1', (next) => {
      expect(next.origin).toBe(publicUrl);
      return !isPage(next);
    });
    expect(isPage(page)).toBe(true);
    const response = await browser.sendJson('POST', `${page.pathname}/register`, account);
    const { redirect_to } = (await response.json()) as { redirect_to: string };
    expect(new URL(redirect_to).origin).toBe(publicUrl);
    const { url } = await browser.navigate(redirect_to);
    expect(url.href).toBe(`${publicUrl}/`);
    expect(await (await browser.request('/api/v1/user')).json()).toMatchObject({ login: 'ada' });
    expect(browser.cookie('__Host-session')).toMatch(/^[a-z0-9]{40}$/);
    expect(browser.cookie('session')).toBeUndefined();
    expect(browser.received.length).toBeGreaterThan(3);
    for (const line of browser.received) expect(line).toMatch(/; ?secure/i);
    for (const line of browser.received) expect(line).toMatch(/; ?httponly/i);
  });

  it('a sign-in ends in the browser that began it, whatever cookies another host of the domain can set', async () => {
    const publicUrl = 'https://console.example.ca';
    const environment = { PUBLIC_URL: publicUrl, REGISTRATION: 'open' };
    const { baseUrl } = await startConsoleServer({ environmentOf: async () => environment });
    const [attacker, victim] = [1, 2].map(() => new BrowserClient(publicUrl, { reachedAt: baseUrl }));
    if (!attacker || !victim) throw new Error('there are two');
    const uid = await openInteraction(attacker, '?register=1');
    const path = `/identity/interaction/${uid}`;
    const toss = () => {
      for (const line of attacker.received) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        const place = /path=([^;]+)/i.exec(line)?.[1];
        // What no browser accepts with a Domain attribute.
        if (!name.startsWith('__Host-')) victim.setCookie(name, value, place);
      }
    };
    toss();
    expect(victim.cookieHeader(path)).toContain('identity_interaction=');
    const typed = await victim.sendJson('POST', `${path}/register`, newAccount());
    expect([typed.status, await typed.json()]).toMatchObject([400, { code: 'sign_in_expired' }]);
    const answer = await attacker.sendJson('POST', `${path}/register`, newAccount());
    const { redirect_to } = (await answer.json()) as { redirect_to: string };
    toss();
    const resumed = await victim.request(redirect_to);
    expect(resumed.headers.get('location')).toBe(`${publicUrl}/login?error=sign_in_expired`);
    expect((await attacker.navigate(redirect_to)).url.href).toBe(`${publicUrl}/`);
    toss();
    expect(await openInteraction(victim), 'nobody is signed in there').not.toBe('');
  });
});
