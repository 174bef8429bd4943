import { describe, expect, it } from 'vitest';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import { registerAndSignIn } from '#tests/support/client/sign-in.ts';
import { describeCodeHost } from '#tests/support/identity/describe-code-host.ts';
import { startEmbeddedCodeHost } from '#tests/support/identity/embedded-code-host.ts';
import { claimsOf } from '#tests/support/identity/relying-party.ts';

describeCodeHost('the embedded identity service as a code host', async () => {
  const host = await startEmbeddedCodeHost();
  return {
    ...host,
    baseUrl: `${host.baseUrl}/identity`,
    async createPerson(fields) {
      const { browser } = await registerAndSignIn(host.baseUrl, fields);
      const { access_token, id_token } = await host.party.signIn(browser);
      return { id: String(claimsOf(id_token).sub), accessToken: access_token };
    },
    revoke: (accessToken) => host.party.revoke(accessToken),
  };
});

describe('the address of an organization at a code host', () => {
  it('leads to its public page, in any case, and hides nothing else', async () => {
    const host = await startEmbeddedCodeHost();
    await host.createOrganization({ handle: 'rivers', name: 'Rivers' });
    const browser = new BrowserClient(host.baseUrl);
    for (const path of ['/identity/rivers', '/identity/Rivers/', '/identity/rivers?x=y']) {
      const response = await browser.request(path);
      expect(response.status, path).toBe(302);
      expect(response.headers.get('location')).toBe(`${host.baseUrl}/identity/organizations/rivers`);
    }
    for (const path of [
      '/identity/lakes',
      '/identity/rivers/x',
      '/identity/riv%65rs',
      '/identity/personal-1',
    ]) {
      expect((await browser.request(path)).status, path).toBe(404);
    }
    expect((await browser.sendJson('POST', '/identity/rivers', {})).status).toBe(404);
  });

  it('is never one of the service’s own', async () => {
    const host = await startEmbeddedCodeHost();
    const words = [
      'api',
      'auth',
      'token',
      'me',
      'jwks',
      'session',
      'interaction',
      'register',
      'profile',
      'organizations',
      'invitations',
      'new',
      'forgot-password',
      'reset-password',
      'verify-email',
    ];
    for (const handle of words) {
      const attempt = host.createOrganization({ handle, name: 'Rivers' });
      await expect(attempt, handle).rejects.toMatchObject({ name: 'ZodError' });
    }
    const browser = new BrowserClient(host.baseUrl);
    const pages = [
      'forgot-password',
      'reset-password/x',
      'verify-email/x',
      'organizations/new',
      'organizations/rivers',
      'invitations/x',
    ];
    for (const page of pages) {
      expect(await (await browser.request(`/identity/${page}`)).text()).toBe(`page /identity/${page}`);
    }
  });
});
