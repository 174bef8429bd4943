import { describe, expect, it } from 'vitest';
import type { JsonEndpoint } from '#server/identity/endpoints/json-endpoint.ts';
import { MAIL_LINK_ENDPOINTS } from '#server/identity/endpoints/mail-link-endpoints.ts';
import { PASSKEY_ENDPOINTS } from '#server/identity/endpoints/passkey-endpoints.ts';
import { PROFILE_ENDPOINTS } from '#server/identity/endpoints/profile-endpoints.ts';
import { SECOND_FACTOR_ENDPOINTS } from '#server/identity/endpoints/second-factor-endpoints.ts';
import { createCredential } from '#server/services/credentials/create-credential.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { objectOf, restClient } from '#tests/support/client/rest-client.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';
import type { Asker } from '#tests/support/surfaces/tenancy-world.ts';

/** Of a kind at which browsers allow passkeys. */
const ORIGIN = 'https://console.example.ca';
const current_password = 'correct horse battery';
const owner = { current_password, code: '123456' };
const passkey = {
  id: 'YQ',
  rawId: 'YQ',
  type: 'public-key',
  response: { clientDataJSON: 'YQ', attestationObject: 'YQ' },
};

/** What each address of a person's own account is sent. The test fails for one that is missing here. */
const OWN: Record<string, object> = {
  'GET /profile/data': {},
  'PUT /profile': { full_name: 'Ada', email: 'ada@example.ca', avatar_url: '' },
  'POST /profile/verification': {},
  'GET /profile/passkeys': {},
  'POST /profile/passkeys/begin': { current_password },
  'POST /profile/passkeys/add': { name: 'Laptop', answer: passkey },
  'POST /profile/passkeys/remove': { current_password, id: 'YQ' },
  'GET /profile/second-factor': {},
  'POST /profile/second-factor/begin': { current_password },
  'POST /profile/second-factor/confirm': { code: '123456' },
  'POST /profile/second-factor/recovery-codes': owner,
  'POST /profile/second-factor/off': owner,
};
/** Those that anyone may call: the token of a link, or an email address, is what they are about. */
const OPEN = [
  'POST /forgot-password',
  'POST /reset-password/check',
  'POST /reset-password',
  'POST /verify-email',
];

const endpoints = [
  ...PROFILE_ENDPOINTS,
  ...MAIL_LINK_ENDPOINTS,
  ...SECOND_FACTOR_ENDPOINTS,
  ...PASSKEY_ENDPOINTS,
];
const nameOf = ({ method, path }: JsonEndpoint) => `${method} ${path.source.replace(/^\^|\$$|\\/g, '')}`;

describe('an address of the identity service’s pages', () => {
  it('is tested here: a new one needs a row', () => {
    expect([...Object.keys(OWN), ...OPEN].sort()).toEqual(endpoints.map(nameOf).sort());
  });

  it('that is about a person’s account is for nobody else, and for no credential', async () => {
    const { app, baseUrl } = await startConsoleServer({ environment: { PUBLIC_URL: ORIGIN } });
    const { context } = await createTestPerson(app);
    const { credential, secret_key } = await createCredential(context, { name: 'CI' });
    const authorization = `Bearer ${credential.public_key}:${secret_key}`;
    const askers: Asker[] = [{}, { authorization }, { cookie: 'session=forged' }];
    for (const [name, json] of Object.entries(OWN)) {
      const [method = '', path = ''] = name.split(' ');
      for (const asker of askers) {
        const client = restClient(baseUrl, { ...asker, origin: ORIGIN });
        const response = await client(method, `/identity${path}`, method === 'GET' ? {} : { json });
        expect([name, response.status, objectOf(response).code]).toEqual([name, 401, 'unauthenticated']);
      }
    }
  });

  it('names its methods to a request with another, also those of a page at the same address', async () => {
    const { baseUrl } = await startConsoleServer();
    const pages = ['/register', '/organizations/rivers', '/reset-password/token'];
    const addresses = endpoints.map(({ method, path }) => {
      const address = path.source.replace(/^\^|\$$|\\/g, '');
      const isPage = ['/profile', '/forgot-password', '/reset-password/check'].includes(address);
      return [address, isPage ? `GET, HEAD, ${method}` : method];
    });
    for (const [address, allowed] of [...addresses, ...pages.map((page) => [page, 'GET, HEAD'])]) {
      const { status, headers } = await fetch(`${baseUrl}/identity${address}`, { method: 'DELETE' });
      expect([address, status, headers.get('allow')]).toEqual([address, 405, allowed]);
    }
  });

  it('changes nothing for another site’s page, whoever is signed in', async () => {
    const { app, baseUrl } = await startConsoleServer({ environment: { PUBLIC_URL: ORIGIN } });
    const { sessionCookie: cookie } = await createTestPerson(app);
    const origins: Asker[] = [{ origin: 'https://elsewhere.example' }, { 'sec-fetch-site': 'same-site' }, {}];
    const changes = endpoints.filter(({ method }) => method !== 'GET').map(nameOf);
    for (const name of changes) {
      const [method = '', path = ''] = name.split(' ');
      const json = OWN[name] ?? {};
      for (const from of origins) {
        const response = await restClient(baseUrl, { cookie, ...from })(method, `/identity${path}`, { json });
        expect([name, response.status, objectOf(response).code]).toEqual([name, 403, 'cross_site_request']);
      }
    }
  });
});
