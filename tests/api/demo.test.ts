import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import { requireStatus } from '#tests/support/client/deploy-client.ts';
import { listOf, objectOf, type RestClient, restClient } from '#tests/support/client/rest-client.ts';
import { sessionCookieOf, signIn } from '#tests/support/client/sign-in.ts';
import { freePort } from '#tests/support/free-port.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';

type Json = Record<string, unknown>;

let demo: ChildProcess;
/** Its data is in here. */
let folder: string;
let api: RestClient;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'demo-'));
  const env: Record<string, string> = { PATH: process.env.PATH ?? '', TMPDIR: folder };
  for (const role of ['CONSOLE', 'EDGE_HTTP', 'EDGE_HTTPS', 'DNS', 'S3'])
    env[`${role}_PORT`] = String(await freePort());
  demo = spawn(process.execPath, ['tests/demo/run-demo.ts'], { env });
  let said = '';
  for (const stream of [demo.stdout, demo.stderr]) {
    stream?.on('data', (text) => {
      said += text;
    });
  }
  await pollUntil(
    async () => said,
    (text) => text.includes('Ctrl+C ends it'),
    1800,
  );
  const printed = (name: string) => new RegExp(`^ +${name} +(.+)$`, 'm').exec(said)?.[1] ?? '';
  const { origin, pathname } = new URL(printed('Open'));
  const browser = new BrowserClient(origin);
  await signIn(browser, { email: printed('Email'), password: printed('Password') });
  api = restClient(origin, {
    ...{ cookie: sessionCookieOf(browser), origin },
    'portage-organization': pathname.slice(1),
  });
});
afterAll(async () => {
  demo?.kill('SIGKILL');
  await removeFolder(folder);
});

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

it('the endpoints of the demonstration stay as they are when their records are looked up', async () => {
  const read = async () => {
    const endpoints = listOf(await api('GET', '/api/v1/cdn/endpoints'));
    return endpoints.filter(({ hostname }) => String(hostname).endsWith('.example'));
  };
  const states = async () =>
    (await read()).map(({ hostname, proven_at, bundle }) => {
      const { dns_validated, dns_challenge_validated, issued_at, problem, next_attempt_at } = (bundle ??
        {}) as Json;
      return {
        ...{ hostname, proven_at, dns_validated, dns_challenge_validated },
        ...{ issued_at, problem, next_attempt_at },
      };
    });
  const before = await states();
  expect(before).toHaveLength(7);
  for (const { bundle } of await read()) {
    if (bundle) requireStatus(await api('GET', `/api/v1/bundles/${(bundle as Json).id}/dns`), 200);
  }
  expect(await states()).toEqual(before);
});

it('the demonstration ends with Ctrl+C, and its data with it', async () => {
  const ended = once(demo, 'exit');
  demo.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  expect((await readdir(folder)).filter((name) => name.startsWith('portage-server-'))).toEqual([]);
});
