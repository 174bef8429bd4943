import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLogger } from '#server/logging/logger.ts';
import { sendDueMails } from '#server/services/mail/send-due-mails.ts';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import { registerAndSignIn, signIn } from '#tests/support/client/sign-in.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';
import { linkIn, openMailServer } from '#tests/support/server/mail-server.ts';

async function prepare() {
  const mail = await openMailServer();
  let log = '';
  const destination = new Writable({
    write: (chunk: Buffer, _, done) => {
      log += chunk.toString();
      done();
    },
  });
  const { app, baseUrl } = await startConsoleServer({
    environment: { MAIL_URL: mail.url, MAIL_FROM: 'Portage <no-reply@example.ca>' },
    logger: createLogger('trace', destination),
  });
  const send = () =>
    sendDueMails({ app, actor: { kind: 'job', name: 'send-due-mails' }, requestId: '', address: '' });
  return { app, baseUrl, mail, send, log: () => log };
}

const tokenOf = (text: string) => linkIn(text).pathname.split('/').at(-1) ?? '';

describe('a forgotten password over HTTP', () => {
  it('gets the same response, to the last header, whether such an account exists or not', async () => {
    const { baseUrl } = await prepare();
    const { account } = await registerAndSignIn(baseUrl);
    const browser = new BrowserClient(baseUrl);
    const answerTo = async (email: string) => {
      const response = await browser.sendJson('POST', '/identity/forgot-password', { email });
      // Rate limits are counted per caller, whatever is requested.
      const differing = /^(date|x-request-id|ratelimit)$/;
      const headers = [...response.headers].filter(([name]) => !differing.test(name));
      return { status: response.status, headers: headers.sort(), body: await response.text() };
    };
    for (let count = 0; count < 7; count += 1) {
      const known = await answerTo(account.email);
      const unknown = await answerTo('nobody@example.ca');
      expect(known.status).toBe(200);
      expect(known).toEqual(unknown);
    }
  });

  it('is replaced with the link; every session ends, and no log line contains the token', async () => {
    const { baseUrl, mail, send, log } = await prepare();
    const { browser: before, account } = await registerAndSignIn(baseUrl);
    const browser = new BrowserClient(baseUrl);
    await browser.sendJson('POST', '/identity/forgot-password', { email: account.email });
    await send();
    const { text } = await mail.waitFor(account.email, 'Choose a new password');
    const token = tokenOf(text);
    expect((await browser.request(linkIn(text).href)).status).toBe(200);
    const check = await browser.sendJson('POST', '/identity/reset-password/check', { token });
    expect(await check.json()).toEqual({ email: account.email });
    const password = 'quite another horse';
    const reset = await browser.sendJson('POST', '/identity/reset-password', { token, password });
    expect(await reset.json()).toEqual({ email: account.email });
    const again = await browser.sendJson('POST', '/identity/reset-password', { token, password });
    expect(again.status).toBe(400);
    expect(await again.json()).toMatchObject({ code: 'mail_link_invalid' });

    expect((await before.request('/api/v1/user')).status).toBe(401);
    // The identity service has forgotten the browser as well: it asks for the password.
    const { url } = await before.navigate('/auth/login', (next) => !next.pathname.includes('/interaction/'));
    expect(url.pathname).toMatch(/^\/identity\/interaction\//);
    await signIn(browser, { ...account, password });
    expect((await browser.request('/api/v1/user')).status).toBe(200);
    expect(log()).toContain('/identity/reset-password/');
    expect(log()).not.toContain(token);
  });

  it('is refused for other sites, forms, and GET', async () => {
    const { app, baseUrl } = await prepare();
    const browser = new BrowserClient(baseUrl);
    const paths = [
      '/forgot-password',
      '/reset-password',
      '/reset-password/check',
      '/verify-email',
      '/profile/verification',
    ];
    for (const path of paths) {
      const post = (headers: Record<string, string>) =>
        browser.request(`/identity${path}`, { method: 'POST', headers, body: '{}' });
      const json = { 'content-type': 'application/json' };
      expect((await post({ ...json, origin: 'https://evil.example' })).status, path).toBe(403);
      expect((await post({ ...json, 'sec-fetch-site': 'cross-site' })).status, path).toBe(403);
      expect((await post({ 'content-type': 'text/plain', origin: baseUrl })).status, path).toBe(415);
    }
    expect((await browser.request('/identity/reset-password/check')).status).not.toBe(500);
    expect(await app.db.selectFrom('outgoing_mails').selectAll().execute()).toEqual([]);
  });
});

describe('an address', () => {
  it('is verified by the link, and later sign-ins report it as verified', async () => {
    const { app, baseUrl, mail, send } = await prepare();
    const { browser, account } = await registerAndSignIn(baseUrl);
    await send();
    const { text, headers } = await mail.waitFor(account.email);
    expect(headers.get('subject')).toBe('Confirm your email address · Portage');
    const verified = await browser.sendJson('POST', '/identity/verify-email', { token: tokenOf(text) });
    expect(await verified.json()).toEqual({ email: account.email });
    const profile = await browser.request('/identity/profile/data');
    expect(await profile.json()).toMatchObject({ email_verified: true });
    const row = await app.db
      .selectFrom('identity_accounts')
      .select('email_verified_at')
      .executeTakeFirstOrThrow();
    expect(row.email_verified_at).toBe(app.clock.now());
    const nobody = new BrowserClient(baseUrl);
    expect((await nobody.sendJson('POST', '/identity/profile/verification', {})).status).toBe(401);
  });
});
