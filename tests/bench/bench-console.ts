import type { SignedInBrowser } from '#tests/support/sign-in.ts';
import type { TestServer } from '#tests/support/test-server.ts';
import { type BenchResult, percentile } from './bench-result.ts';
import { load } from './http-load.ts';

const SECONDS = 5;
/** As many sites as a busy organization lists on its first page. */
const SITES = 50;

/** Returns the id of the organization the browser landed in. */
export function organizationOf(person: SignedInBrowser): string {
  return person.landedAt.split('/')[1] ?? '';
}

/** Server render of the sites list, tRPC reads, and API mutations with 50 clients. */
export async function benchConsole(server: TestServer, person: SignedInBrowser): Promise<BenchResult[]> {
  const organizationId = organizationOf(person);
  let siteId = '';
  for (let index = 0; index < SITES; index += 1) {
    const created = await person.browser.sendJson('POST', '/api/v1/sites', { name: `Bench site ${index}` });
    if (!created.ok) throw new Error(await created.text());
    siteId = ((await created.json()) as { id: string }).id;
  }
  const cookie = { cookie: person.cookie };

  const page = await load(
    { url: `${server.consoleUrl}/${organizationId}/sites`, headers: cookie },
    1,
    SECONDS,
  );
  const input = encodeURIComponent(JSON.stringify({ json: { organization_id: organizationId, limit: 10 } }));
  const reads = await load(
    { url: `${server.consoleUrl}/api/trpc/sites.list?input=${input}`, headers: cookie },
    50,
    SECONDS,
  );
  const me = await load({ url: `${server.consoleUrl}/api/trpc/user.me`, headers: cookie }, 50, SECONDS);
  let isFallback = false;
  const writes = await load(
    {
      url: `${server.consoleUrl}/api/trpc/sites.update`,
      method: 'POST',
      headers: { ...cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: () => {
        isFallback = !isFallback;
        return JSON.stringify({
          json: { organization_id: organizationId, site_id: siteId, spa_fallback: isFallback },
        });
      },
    },
    50,
    SECONDS,
  );
  const failures = { page: page.failures, reads: reads.failures, me: me.failures, writes: writes.failures };
  if (Object.values(failures).some((count) => count > 0))
    throw new Error(`requests failed: ${JSON.stringify(failures)}`);
  return [
    {
      name: 'sites list, server render p95',
      value: percentile(page.latenciesMs, 0.95),
      unit: 'ms',
      target: '< 60 ms',
    },
    { name: 'tRPC read user.me', value: me.requestsPerSecond, unit: 'req/s', target: '> 5,000 req/s' },
    { name: 'tRPC read sites.list (10 rows)', value: reads.requestsPerSecond, unit: 'req/s' },
    {
      name: 'API mutation p99, 50 clients',
      value: percentile(writes.latenciesMs, 0.99),
      unit: 'ms',
      target: '< 50 ms',
    },
  ];
}
