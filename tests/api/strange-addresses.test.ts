import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setUpBillingByRest } from '#tests/support/billing/rest-billing.ts';
import { restClient } from '#tests/support/client/rest-client.ts';
import { homeOf, registerAndSignIn, type SignedInBrowser } from '#tests/support/client/sign-in.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';

/** What the pages of one thing say where it is not there. */
const PAGES = {
  'a site': { path: (id: string) => `sites/${id}`, title: 'Site not found' },
  'an endpoint': { path: (id: string) => `endpoints/${id}`, title: 'CDN endpoint not found' },
  'a bucket': { path: (id: string) => `storage/${id}`, title: 'Bucket not found' },
  'an invoice': { path: (id: string) => `billing/invoices/${id}`, title: 'Invoice Not Found' },
};
/** What is no id at all: the procedures refuse it, instead of looking for it. */
const STRANGE = ['a%20b', '%00', '%3Cscript%3E', 'x'.repeat(300)];

let server: TestServer;
let person: SignedInBrowser;
beforeAll(async () => {
  server = await startTestServer({ BILLING_MODE: 'sandbox' });
  person = await registerAndSignIn(server.consoleUrl);
  await setUpBillingByRest(
    restClient(server.consoleUrl, { cookie: person.cookie, origin: server.consoleUrl }),
  );
});
afterAll(() => server.close());

describe.each(Object.entries(PAGES))('the page of %s', (_, { path, title }) => {
  it('is that it is not there, for an address that no id can have', async () => {
    for (const id of STRANGE) {
      const address = `${server.consoleUrl}/${homeOf(person)}/${path(id)}`;
      const response = await fetch(address, { headers: { cookie: person.cookie } });
      expect.soft(response.status, id).toBe(404);
      expect.soft(await response.text(), id).toContain(`<title>${title} · Portage</title>`);
    }
  });
});
