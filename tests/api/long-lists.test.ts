import { beforeAll, expect, it } from 'vitest';
import { objectOf, restClient } from '#tests/support/client/rest-client.ts';
import { homeOf, registerAndSignIn } from '#tests/support/client/sign-in.ts';
import { insertBuckets, insertEndpoint } from '#tests/support/server/server-database.ts';
import { shareServer } from '#tests/support/server/share-server.ts';
import type { RunningServer } from '#tests/support/server/test-server.ts';
import { insertPastUsage } from '#tests/support/usage/server-usage.ts';

const COUNT = 120;

let server: RunningServer;
let organizationId: string;
let cookie: string;
beforeAll(async () => {
  server = shareServer();
  const person = await registerAndSignIn(server.consoleUrl);
  organizationId = homeOf(person);
  cookie = person.cookie;
});

/** A page as the server renders it: how many rows its table has, and how many rows it says there are. */
async function openList(path: string) {
  const response = await fetch(`${server.consoleUrl}/${organizationId}/${path}`, { headers: { cookie } });
  const html = await response.text();
  const table = /<table.*?<\/table>/s.exec(html)?.[0] ?? '';
  return { html, rows: table.split('<tr').length - 2, said: /aria-rowcount="(-?\d+)"/.exec(table)?.[1] };
}

it('the page of many endpoints has the first ones, and none of the others', async () => {
  const call = restClient(server.consoleUrl, {
    ...{ cookie, origin: server.consoleUrl, 'portage-organization': organizationId },
  });
  const site = objectOf(await call('POST', '/api/v1/sites', { json: { name: 'blog' } }));
  for (let at = 0; at < COUNT; at += 1) {
    const hostname = `n${String(at).padStart(3, '0')}.example`;
    await insertEndpoint(server, { organizationId, siteId: String(site.id), hostname });
  }
  const { html, rows, said } = await openList('cdn');
  expect({ rows, said }).toEqual({ rows: 50, said: '-1' });
  expect(html).toContain('n049.example');
  expect(html).not.toContain('n050.example');
  const found = await openList('cdn?search=N11');
  expect({ rows: found.rows, said: found.said }).toEqual({ rows: 10, said: undefined });
});

it('the page of many buckets has the first ones, and a short list whole', async () => {
  await insertBuckets(server, { organizationId, prefix: 'few', count: 50 });
  const few = await openList('storage');
  expect({ rows: few.rows, said: few.said }).toEqual({ rows: 50, said: undefined });
  await insertBuckets(server, { organizationId, prefix: 'many', count: COUNT - 50 });
  const many = await openList('storage');
  expect({ rows: many.rows, said: many.said }).toEqual({ rows: 50, said: '-1' });
});

it('the page of many credentials has the newest ones, and none of the others', async () => {
  const call = restClient(server.consoleUrl, {
    ...{ cookie, origin: server.consoleUrl, 'portage-organization': organizationId },
  });
  for (let at = 0; at < 27; at += 1) {
    await call('POST', '/api/v1/credentials', { json: { name: `key-${String(at).padStart(2, '0')}` } });
  }
  const { html } = await openList('credentials');
  expect([html.includes('key-26'), html.includes('key-02'), html.includes('key-01')]).toEqual([
    true,
    true,
    false,
  ]);
  expect((await openList('credentials?search=key-00')).html).toContain('key-00');
});

it.each(['usage', 'billing'])(
  'the page of %s has the busiest endpoints, and all once it is sorted',
  async (path) => {
    const today = new Date().toISOString().slice(0, 10);
    const endpoints = Array.from({ length: COUNT }, (_, at) => ({
      hostname: `${path}-${String(at).padStart(3, '0')}.example`,
      days: { [today]: { requests: 1, bytes: (at + 1) * (path === 'usage' ? 1024 : 1024 ** 2) } },
    }));
    await insertPastUsage(server, organizationId, endpoints);
    const { html } = await openList(path);
    expect([html.includes(`${path}-070.example`), html.includes(`${path}-069.example`)]).toEqual([
      true,
      false,
    ]);
    expect((await openList(`${path}?sort=name`)).html).toContain(`${path}-069.example`);
  },
);
