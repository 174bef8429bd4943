import { describe, expect, it } from 'vitest';
import { sendDueMails } from '#server/services/mail/send-due-mails.ts';
import { inviteMember } from '#server/services/organizations/invitations/invite-member.ts';
import { blockPerson } from '#server/services/people/block-person.ts';
import { createNamedOrganization } from '#tests/support/app/named-organization.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import {
  finishInteraction,
  newAccount,
  openInteraction,
  registerAndSignIn,
  signIn,
} from '#tests/support/client/sign-in.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';
import { linkIn, openMailServer } from '#tests/support/server/mail-server.ts';

describe('who may register, over HTTP', () => {
  it('is refused to everyone when registration is closed: the page is told, and so is the sender of the form', async () => {
    const { baseUrl } = await startConsoleServer({ environment: { REGISTRATION: 'closed' } });
    const browser = new BrowserClient(baseUrl);
    const uid = await openInteraction(browser, '?register=1');
    const details = await (await browser.request(`/identity/interaction/${uid}/details`)).json();
    expect(details).toMatchObject({ registration: { is_possible: false, domains: [] } });
    const response = await browser.sendJson('POST', `/identity/interaction/${uid}/register`, newAccount());
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'registration_closed' });
  });

  it('is told by the first page, before a script runs: closed, or open to an invitation', async () => {
    const environment = { REGISTRATION: 'invitation' };
    const { app, baseUrl } = await startConsoleServer({ environment, rendersPages: true });
    const rivers = await createNamedOrganization(await createTestPerson(app), { handle: 'rivers' });
    const { link } = await inviteMember(rivers, { permission: 'read' });
    const invited = encodeURIComponent(new URL(link ?? '').pathname);
    const openPage = async (search: string) => {
      const browser = new BrowserClient(baseUrl);
      const uid = await openInteraction(browser, search);
      return (await browser.request(`/identity/interaction/${uid}?register=true`)).text();
    };
    const closed = await openPage('?register=1');
    expect(closed).toContain('Registration is closed');
    expect(closed).not.toContain('name="password"');
    const open = await openPage(`?register=1&return_to=${invited}`);
    expect(open).toContain('Create your account');
    expect(open).toContain('name="password"');
    const elsewhere = await fetch(`${baseUrl}/identity/interaction/of-another-browser?register=true`);
    expect(await elsewhere.text()).toContain('This sign-in has expired');
  });

  it('is not told before it is known: a page that could not read it shows neither a form nor a refusal', async () => {
    const environment = { REGISTRATION: 'closed' };
    const { baseUrl } = await startConsoleServer({ environment, rendersPages: true, failsToDescribe: true });
    const browser = new BrowserClient(baseUrl);
    const uid = await openInteraction(browser, '?register=1');
    const page = await (await browser.request(`/identity/interaction/${uid}?register=true`)).text();
    expect(page).toContain('aria-busy="true"');
    expect(page).not.toContain('name="password"');
    expect(page).not.toContain('Registration is closed');
  });

  it('is open to people with an open invitation, which they return to', async () => {
    const { app, baseUrl } = await startConsoleServer({ environment: { REGISTRATION: 'invitation' } });
    const rivers = await createNamedOrganization(await createTestPerson(app), { handle: 'rivers' });
    const { link } = await inviteMember(rivers, { permission: 'read' });
    const path = new URL(link ?? '').pathname;
    const browser = new BrowserClient(baseUrl);
    const uid = await openInteraction(browser, `?register=1&return_to=${encodeURIComponent(path)}`);
    const details = await (await browser.request(`/identity/interaction/${uid}/details`)).json();
    expect(details).toMatchObject({ registration: { is_possible: true, domains: [] } });
    const response = await browser.sendJson('POST', `/identity/interaction/${uid}/register`, newAccount());
    expect((await finishInteraction(browser, response)).pathname).toBe(path);
    // Another browser with the same return address, but without the invitation, is not admitted either.
    const other = new BrowserClient(baseUrl);
    const plain = await openInteraction(other, '?register=1');
    const refused = await other.sendJson('POST', `/identity/interaction/${plain}/register`, newAccount());
    expect(refused.status).toBe(403);
  });

  it('is open to people who open the link at an address of the domain, and who then sign in', async () => {
    const mail = await openMailServer();
    const environment = {
      REGISTRATION: 'domain:example.ca',
      MAIL_URL: mail.url,
      MAIL_FROM: 'Portage <no-reply@portage.example>',
    };
    const { app, baseUrl } = await startConsoleServer({ environment });
    const browser = new BrowserClient(baseUrl);
    const account = newAccount();
    const uid = await openInteraction(browser, '?register=1');
    const response = await browser.sendJson('POST', `/identity/interaction/${uid}/register`, account);
    expect(await response.json()).toEqual({ redirect_to: null });
    const tooEarly = await browser.sendJson('POST', `/identity/interaction/${uid}/sign-in`, {
      email: account.email,
      password: account.password,
    });
    expect(await tooEarly.json()).toMatchObject({ code: 'account_unverified' });
    await sendDueMails({ app, actor: { kind: 'job', name: 'send-due-mails' }, requestId: '', address: '' });
    const message = await mail.waitFor(account.email);
    const token = linkIn(message.text).pathname.split('/').at(-1);
    expect((await browser.sendJson('POST', '/identity/verify-email', { token })).status).toBe(200);
    expect((await signIn(browser, account)).pathname).not.toContain('/login');
  });
});

describe('a blocked person', () => {
  it('is sent back to the sign-in page, which says so, even in a browser that was signed in', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const { browser, account } = await registerAndSignIn(baseUrl);
    await blockPerson(operatorContext(app), { person: account.login, reason: 'left' });
    const uid = await openInteraction(browser);
    const response = await browser.sendJson('POST', `/identity/interaction/${uid}/sign-in`, {
      email: account.email,
      password: account.password,
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'account_blocked' });
  });
});
