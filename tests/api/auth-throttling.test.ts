import { describe, expect, it } from 'vitest';
import { createRateLimits, type RateLimit, type RateLimitName } from '#server/rate-limits.ts';
import { BrowserClient } from '#tests/support/browser-client.ts';
import { startConsoleServer } from '#tests/support/console-server.ts';
import { newAccount, openInteraction, registerAndSignIn } from '#tests/support/sign-in.ts';

async function startWith(limits: Partial<Record<RateLimitName, RateLimit>>) {
  const server = await startConsoleServer();
  const { account } = await registerAndSignIn(server.baseUrl);
  server.app.rateLimits = createRateLimits(limits);
  return { ...server, account, browser: new BrowserClient(server.baseUrl) };
}

async function expectTooMany(response: Response) {
  expect(response.status).toBe(429);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await response.json()).toMatchObject({ code: 'too_many_requests' });
}

describe('too many', () => {
  it('wrong passwords for one account are refused, and then the right one too', async () => {
    const { browser, account } = await startWith({ sign_in_account: { points: 2, seconds: 60 } });
    const uid = await openInteraction(browser);
    const send = (password: string) =>
      browser.sendJson('POST', `/identity/interaction/${uid}/sign-in`, { email: account.email, password });
    for (let n = 0; n < 2; n += 1) expect((await send('wrong horse battery')).status).toBe(401);
    await expectTooMany(await send('wrong horse battery'));
    await expectTooMany(await send(account.password));
  });

  it('attempts from one address are refused, whatever accounts they try', async () => {
    const { browser } = await startWith({ sign_in_address: { points: 3, seconds: 60 } });
    const uid = await openInteraction(browser);
    const send = (n: number) =>
      browser.sendJson('POST', `/identity/interaction/${uid}/sign-in`, {
        email: `p${n}@example.ca`,
        password: 'x',
      });
    for (let n = 0; n < 3; n += 1) expect((await send(n)).status).toBe(401);
    await expectTooMany(await send(3));
  });

  it('registrations from one address are refused and make no account', async () => {
    const { app, browser } = await startWith({ registration_address: { points: 1, seconds: 60 } });
    const uid = await openInteraction(browser, '?register=1');
    const send = () => browser.sendJson('POST', `/identity/interaction/${uid}/register`, newAccount());
    expect((await send()).status).toBe(200);
    await expectTooMany(await send());
    expect(await app.db.selectFrom('identity_accounts').select('number').execute()).toHaveLength(2);
  });

  it('requests of the identity pages are refused, whatever they ask for', async () => {
    const { browser } = await startWith({ api_principal: { points: 3, seconds: 60 } });
    const send = (path: string) => browser.sendJson('POST', `/identity${path}`, { token: 'x' });
    for (let n = 0; n < 3; n += 1) {
      expect(await (await send('/verify-email')).json()).toMatchObject({ code: 'mail_link_invalid' });
    }
    for (const path of ['/verify-email', '/reset-password/check', '/forgot-password']) {
      await expectTooMany(await send(path));
    }
  });

  it('callbacks and starts from one address are refused', async () => {
    const { browser } = await startWith({ sign_in_redirect_address: { points: 4, seconds: 60 } });
    expect((await browser.request('/auth/callback?state=x&code=y')).status).toBe(303);
    expect((await browser.request('/auth/login')).status).toBe(303);
    expect((await browser.request('/identity/auth?client_id=console')).status).toBe(303);
    expect((await browser.request('/auth/callback?state=x&code=y')).status).toBe(303);
    for (const path of ['/auth/callback?state=x&code=y', '/auth/login', '/identity/auth?client_id=console']) {
      await expectTooMany(await browser.request(path));
    }
  });
});
