import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Demo, fillDemo } from '#tests/demo/fill-demo.ts';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import { listOf, objectOf, type RestClient, restClient } from '#tests/support/client/rest-client.ts';
import { sessionCookieOf, signIn } from '#tests/support/client/sign-in.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';

let server: TestServer;
let demo: Demo;
let api: RestClient;
beforeAll(async () => {
  server = await startTestServer({ BILLING_MODE: 'sandbox' });
  demo = await fillDemo(server);
  const browser = new BrowserClient(server.consoleUrl);
  await signIn(browser, demo);
  api = restClient(server.consoleUrl, {
    ...{ cookie: sessionCookieOf(browser), origin: server.consoleUrl },
    'portage-organization': demo.organizationId,
  });
});
afterAll(() => server?.close());

it('the sign-in that the demonstration prints leads to all that there is to look at', async () => {
  const list = async (path: string) => listOf(await api('GET', `/api/v1/${path}`));
  expect((await list('sites')).map(({ name }) => name).sort()).toEqual(['rives', 'rives-docs', 'rives-next']);
  const endpoints = await list('cdn/endpoints');
  expect(endpoints).toHaveLength(8);
  expect((await list('credentials')).length).toBeGreaterThanOrEqual(3);
  expect((await list('storage/buckets')).map(({ name }) => name).sort()).toEqual([
    'rives-backups',
    'rives-tiles',
  ]);
  const invoices = await list('billing/invoices');
  expect(invoices.map(({ status }) => status)).toEqual(['paid', 'paid', 'paid']);
  const usage = objectOf(await api('GET', '/api/v1/usage/overview?period=month'));
  expect(JSON.stringify(usage)).toMatch(/"total_requests":[1-9]\d{3,}/);
  const cost = objectOf(await api('GET', '/api/v1/billing/cost'));
  expect(cost.total_requests).toBe((usage.summary as { total_requests: number }).total_requests);
});
