import { describe, expect, it } from 'vitest';
import { totpCode, totpStep } from '#server/services/identity/second-factor/totp.ts';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import {
  finishInteraction,
  openInteraction,
  registerAndSignIn,
  sessionCookieOf,
} from '#tests/support/client/sign-in.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

describe('two-step sign-in, over HTTP', () => {
  it('lets no one in with only the password, or with a code at another sign-in', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const { browser, account } = await registerAndSignIn(baseUrl);
    const profile = '/identity/profile/second-factor';
    const begun = await browser.sendJson('POST', `${profile}/begin`, { current_password: account.password });
    const { secret, link } = (await begun.json()) as { secret: string; link: string };
    expect(new URL(link).searchParams.get('secret')).toBe(secret);
    const code = (steps: number) => totpCode(secret, totpStep(app.clock.now()) + steps);
    const confirmed = await browser.sendJson('POST', `${profile}/confirm`, { code: code(-1) });
    const { recovery_codes } = (await confirmed.json()) as { recovery_codes: string[] };
    expect(recovery_codes).toHaveLength(10);
    expect(await (await browser.request(profile)).json()).toEqual({ is_on: true, recovery_codes_left: 10 });

    const other = new BrowserClient(baseUrl);
    const uid = await openInteraction(other);
    const send = (step: string, body: object) =>
      other.sendJson('POST', `/identity/interaction/${uid}/${step}`, body);
    expect(await (await send('second-step', { code: code(1) })).json()).toMatchObject({
      code: 'sign_in_expired',
    });
    const wrong = await send('sign-in', { email: account.email, password: 'wrong horse battery' });
    expect(await wrong.json()).toMatchObject({ code: 'sign_in_failed' });
    const half = await send('sign-in', { email: account.email, password: account.password });
    expect(await half.json()).toEqual({ redirect_to: null });
    // Continuing without the code leads back to a sign-in.
    const { url } = await other.navigate(
      `/identity/auth/${uid}`,
      (next) => !next.pathname.includes('interaction'),
    );
    expect(url.pathname).toMatch(/interaction/);
    expect(sessionCookieOf(other)).toBe('');
    expect((await send('second-step', { code: code(1) })).status).toBe(400);

    const third = new BrowserClient(baseUrl);
    const again = await openInteraction(third);
    await third.sendJson('POST', `/identity/interaction/${again}/sign-in`, {
      email: account.email,
      password: account.password,
    });
    const refused = await third.sendJson('POST', `/identity/interaction/${again}/second-step`, { code: '1' });
    expect(await refused.json()).toMatchObject({ code: 'second_factor_code_wrong' });
    const path = `/identity/interaction/${again}/second-step`;
    await finishInteraction(third, await third.sendJson('POST', path, { code: code(1) }));
    expect(sessionCookieOf(third)).not.toBe('');
  });
});
