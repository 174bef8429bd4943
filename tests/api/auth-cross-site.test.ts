import { beforeEach, describe, expect, it } from 'vitest';
import { registerAndSignIn, type SignedInBrowser } from '#tests/support/client/sign-in.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

const FOREIGN: Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site', origin: 'http://evil.localhost' },
  { 'sec-fetch-site': 'none' },
  { origin: 'null' },
  {},
];

/** Every content type that a form or a script may send, with a matching body. */
const BODIES: [string, string | null, (payload: string) => BodyInit][] = [
  ['application/json', 'application/json', (payload) => payload],
  ['text/plain', 'text/plain', (payload) => payload],
  ['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded', (payload) => `input=${payload}`],
  ['multipart/form-data', null, (payload) => toForm(payload)],
  ['application/octet-stream', 'application/octet-stream', (payload) => payload],
  ['no type', null, (payload) => new Blob([payload])],
];

function toForm(payload: string): FormData {
  const form = new FormData();
  form.set('input', payload);
  return form;
}

const SETTINGS = JSON.stringify({ language_preference: 'fr-CA' });
const TARGETS: [string, string, string][] = [
  ['POST', '/api/trpc/user.updateSettings', JSON.stringify({ json: { language_preference: 'fr-CA' } })],
  ['PUT', '/api/v1/user/settings', SETTINGS],
  ['POST', '/auth/logout', ''],
  [
    'PUT',
    '/identity/profile',
    JSON.stringify({ full_name: 'Mallory', email: 'm@example.ca', avatar_url: null }),
  ],
];

let signedIn: SignedInBrowser;
beforeEach(async () => {
  const { baseUrl } = await startConsoleServer();
  signedIn = await registerAndSignIn(baseUrl);
});

async function language(): Promise<unknown> {
  const response = await signedIn.browser.request('/api/v1/user');
  expect(response.status).toBe(200);
  return ((await response.json()) as { language_preference: string | null; full_name: string })
    .language_preference;
}

describe('a write with a person’s cookie', () => {
  it.each(TARGETS)(
    '%s %s from a foreign page is refused in every content type and changes nothing',
    async (...target) => {
      const [method, path, payload] = target;
      const { browser } = signedIn;
      for (const [name, type, bodyOf] of BODIES) {
        for (const headers of FOREIGN) {
          const init = {
            method,
            headers: { ...headers, ...(type ? { 'content-type': type } : {}) },
            body: bodyOf(payload),
          };
          const response = await browser.request(path, init);
          expect([403, 415], `${name} ${JSON.stringify(headers)}`).toContain(response.status);
          expect(response.headers.getSetCookie()).toEqual([]);
          await response.body?.cancel();
        }
      }
      expect(await language()).toBeNull();
      const profile = await (await browser.request('/identity/profile/data')).json();
      expect(profile).toMatchObject({ full_name: signedIn.account.full_name });
    },
  );

  it.each(TARGETS.filter(([, path]) => path.startsWith('/api/trpc') || path.startsWith('/identity')))(
    '%s %s from our own page is only accepted as JSON',
    async (method, path, payload) => {
      const { browser } = signedIn;
      for (const [name, type, bodyOf] of BODIES.slice(1)) {
        const own = { origin: browser.baseUrl, 'sec-fetch-site': 'same-origin' };
        const headers = { ...own, ...(type ? { 'content-type': type } : {}) };
        const response = await browser.request(path, { method, headers, body: bodyOf(payload) });
        expect(response.status, name).toBe(415);
        await response.body?.cancel();
      }
      expect(await language()).toBeNull();
    },
  );

  it('from our own page succeeds', async () => {
    const { browser } = signedIn;
    const viaTrpc = await browser.sendJson('POST', '/api/trpc/user.updateSettings', {
      json: { language_preference: 'fr-CA' },
    });
    expect(viaTrpc.status).toBe(200);
    expect(await language()).toBe('fr-CA');
    const viaRest = await browser.request('/api/v1/user/settings', {
      method: 'PUT',
      headers: { 'content-type': 'application/json', origin: browser.baseUrl },
      body: JSON.stringify({ language_preference: 'en-CA' }),
    });
    expect(viaRest.ok).toBe(true);
    expect(await language()).toBe('en-CA');
  });
});

describe('a sign-in page’s write', () => {
  it('from a foreign page is refused before anything is read', async () => {
    const { browser } = signedIn;
    for (const step of ['sign-in', 'register']) {
      for (const headers of FOREIGN) {
        const response = await browser.request(`/identity/interaction/anything/${step}`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: '{}',
        });
        expect(response.status).toBe(403);
        expect(await response.json()).toMatchObject({ code: 'cross_site_request' });
      }
    }
  });
});

describe('the person’s sessions', () => {
  it('are listed and revoked through tRPC', async () => {
    const { browser, account } = signedIn;
    const other = await registerAndSignIn(browser.baseUrl);
    const list = async () => {
      const response = await browser.request('/api/trpc/user.sessions');
      return (
        (await response.json()) as { result: { data: { json: { id: string; is_current: boolean }[] } } }
      ).result.data.json;
    };
    const [own, ...rest] = await list();
    expect(rest).toEqual([]);
    expect(own?.is_current).toBe(true);
    const revoked = await browser.sendJson('POST', '/api/trpc/user.revokeSession', {
      json: { session_id: own?.id },
    });
    expect(revoked.status).toBe(200);
    expect((await browser.request('/api/v1/user')).status).toBe(401);
    expect((await other.browser.request('/api/v1/user')).status).toBe(200);
    expect(account.login).not.toBe(other.account.login);
  });
});
