import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEMO_SETTINGS, type Demo, fillDemo } from '#tests/demo/fill-demo.ts';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import { listOf, objectOf, type RestClient, restClient } from '#tests/support/client/rest-client.ts';
import { sessionCookieOf, signIn } from '#tests/support/client/sign-in.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';

let server: TestServer;
let demo: Demo;
let api: RestClient;
beforeAll(async () => {
  server = await startTestServer(DEMO_SETTINGS);
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

it('the invoices of the demonstration bill all the usage that it shows, with the taxes of Québec', async () => {
  const invoices = listOf(await api('GET', '/api/v1/billing/invoices'));
  for (const { billing_year, billing_month, ...invoice } of invoices) {
    const month = `${billing_year}-${String(billing_month).padStart(2, '0')}`;
    const lastDay = new Date(Date.UTC(Number(billing_year), Number(billing_month), 0)).getUTCDate();
    const range = `start_date=${month}-01&end_date=${month}-${lastDay}`;
    const { summary } = objectOf(await api('GET', `/api/v1/usage/stats?${range}`));
    expect(summary).toMatchObject({
      total_bytes_sent: invoice.bandwidth_bytes,
      total_requests: invoice.total_requests,
    });
    expect(invoice.tax_details).toMatchObject([{ tax_name: 'GST' }, { tax_name: 'QST' }]);
  }
  expect(objectOf(await api('GET', '/api/v1/billing/cost'))).toMatchObject({ adjustments: [] });
});
