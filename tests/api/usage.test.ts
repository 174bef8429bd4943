import { describe, expect, it } from 'vitest';
import type { OrganizationContext } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { createEndpoint } from '#server/services/cdn/create-endpoint.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { usageOverviewSchema, usageStatsSchema } from '#server/services/usage/schema.ts';
import { createTestOperatorToken } from '#tests/support/app/operator-context.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import {
  credentialClient,
  objectOf,
  personClient,
  type RestClient,
  restClient,
} from '#tests/support/client/rest-client.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';
import { countUsage, usageRow } from '#tests/support/usage/usage-batches.ts';

/**
 * A console, and an organization that served a site at its own names and at an endpoint, today and yesterday.
 */
async function withServed() {
  const { app, baseUrl } = await startConsoleServer();
  const person = await createTestPerson(app);
  const { context } = person;
  const site = await createSite(context, { name: '=Blog' });
  const endpoint = await createEndpoint(context, { hostname: 'www.example.ca', site_id: site.id });
  const other = await createSite(context, { name: 'Manual' });
  const served = { bytes_sent: 1_000, requests: 4, cache_hits: 3, cache_misses: 1, status_2xx: 4 };
  const rows = [
    usageRow(context.organization.id, { siteId: site.id }, { ...served, paths: [['/', 4, 1_000]] }),
    usageRow(context.organization.id, { endpointId: endpoint.id, siteId: site.id }, served),
    usageRow(context.organization.id, { siteId: other.id }, served),
  ];
  await countUsage(app, rows);
  await countUsage(app, rows, app.clock.now() - DAY_MS);
  return { app, baseUrl, person, context, site, endpoint, other, client: personClient(baseUrl, person) };
}

/** Status, code and invalid fields of a response. */
async function problemOf(client: RestClient, path: string) {
  const response = await client('GET', path);
  const { code, errors } = objectOf(response);
  return [response.status, code, (errors as { path: string }[] | undefined)?.map(({ path: name }) => name)];
}

describe('GET /api/v1/usage/stats', () => {
  it('returns rows, summary and dates with the field names of the API', async () => {
    const { client, site, endpoint } = await withServed();
    const response = await client('GET', '/api/v1/usage/stats?period=week');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    const stats = usageStatsSchema.parse(objectOf(response));
    expect(stats).toMatchObject({ start_date: '2026-02-23', end_date: '2026-03-01' });
    expect(stats.usage).toHaveLength(6);
    expect(stats.usage.find((row) => row.cdn_endpoint_id !== null)).toEqual({
      cdn_endpoint_id: endpoint.id,
      site_id: site.id,
      date: '2026-02-28',
      total_bytes_sent: 1_000,
      total_requests: 4,
      total_cache_hits: 3,
      total_cache_misses: 1,
      total_status_2xx: 4,
      total_status_3xx: 0,
      total_status_4xx: 0,
      total_status_5xx: 0,
      total_refused_requests: 0,
      total_refused_bytes_sent: 0,
    });
    expect(stats.summary).toMatchObject({ total_bytes_sent: 6_000, total_requests: 24 });
  });

  it('accepts periods, dates, one endpoint, one site and hours, and ignores unknown parameters', async () => {
    const { client, site, endpoint } = await withServed();
    const asked: [string, string, string, number][] = [
      ['', '2026-03-01', '2026-03-01', 3],
      ['?period=month', '2026-03-01', '2026-03-01', 3],
      ['?period=day', '2026-03-01', '2026-03-01', 3],
      ['?period=week', '2026-02-23', '2026-03-01', 6],
      ['?period=custom&start_date=2026-02-28&end_date=2026-02-28', '2026-02-28', '2026-02-28', 3],
      ['?start_date=2026-02-28', '2026-02-28', '2026-03-01', 6],
      ['?start_date=2026-02-28T23:30:00-05:00', '2026-03-01', '2026-03-01', 3],
      [`?cdn_endpoint_id=${endpoint.id}`, '2026-01-31', '2026-03-01', 2],
      [`?site_id=${site.id}&period=week`, '2026-02-23', '2026-03-01', 4],
      ['?period=week&granularity=hour', '2026-02-23', '2026-03-01', 6],
      ['?start_date=2028-02-29&end_date=2028-02-29', '2028-02-29', '2028-02-29', 0],
      ['?period=week&colour=blue', '2026-02-23', '2026-03-01', 6],
    ];
    for (const [query, start_date, end_date, rows] of asked) {
      const response = objectOf(await client('GET', `/api/v1/usage/stats${query}`));
      const { usage, ...range } = usageStatsSchema.parse(response);
      expect([range, usage.length], query).toMatchObject([{ start_date, end_date }, rows]);
    }
  });

  it('names the invalid field, and never fails internally', async () => {
    const { client } = await withServed();
    const wrong: [string, string][] = [
      ['start_date=', 'start_date'],
      ['start_date=yesterday', 'start_date'],
      ['start_date=2026-02-30', 'start_date'],
      ['start_date=0001-01-01', 'start_date'],
      ['start_date=10000-01-01', 'start_date'],
      ['start_date=9999-12-31T23:59:59-14:00', 'start_date'],
      ['start_date=2026-03-01%00', 'start_date'],
      ['start_date=2026-01-01&end_date=', 'end_date'],
      ['start_date=2026-03-01&end_date=2026-02-28', 'end_date'],
      ['end_date=2026-02-28', 'start_date'],
      ['period=custom', 'start_date'],
      ['period=', 'period'],
      ['period=year', 'period'],
      ['start_date=2020-01-01', 'start_date'],
      ['start_date=1970-01-01&end_date=9999-12-31', 'start_date'],
      ['start_date=2026-02-01&granularity=hour', 'start_date'],
      ['granularity=', 'granularity'],
      ['granularity=minute', 'granularity'],
      ['cdn_endpoint_id=', 'cdn_endpoint_id'],
      ['cdn_endpoint_id=%27%20or%201%3D1--', 'cdn_endpoint_id'],
      ['site_id=%00', 'site_id'],
      [`site_id=${'x'.repeat(65)}`, 'site_id'],
    ];
    for (const [query, field] of wrong) {
      expect(await problemOf(client, `/api/v1/usage/stats?${query}`), query).toEqual([
        400,
        'invalid_input',
        [field],
      ]);
      // A CSV may have any number of hours.
      if (query.endsWith('&granularity=hour')) continue;
      expect(await problemOf(client, `/api/v1/usage/stats.csv?${query}`), query).toEqual([
        400,
        'invalid_input',
        [field],
      ]);
    }
    expect(await problemOf(client, '/api/v1/usage/paths?limit=0')).toEqual([400, 'invalid_input', ['limit']]);
    expect(await problemOf(client, '/api/v1/usage/overview?period=')).toEqual([
      400,
      'invalid_input',
      ['period'],
    ]);
  });

  it('is for credentials of the sites in their scopes, for operators, and for no one else', async () => {
    const { app, baseUrl, context, site, endpoint, other } = await withServed();
    const program = (await credentialClient(baseUrl, context, [site.id])).client;
    const rows = usageStatsSchema.parse(objectOf(await program('GET', '/api/v1/usage/stats'))).usage;
    expect(rows.map(({ site_id }) => site_id)).toEqual([site.id, site.id]);
    for (const path of ['stats', 'stats.csv', 'overview', 'paths']) {
      const address = `/api/v1/usage/${path}`;
      expect(await problemOf(program, `${address}?site_id=${other.id}`)).toEqual([403, 'out_of_scope', []]);
      expect(await problemOf(restClient(baseUrl), address)).toEqual([401, 'unauthenticated', []]);
      const stranger = personClient(baseUrl, await createTestPerson(app));
      expect(await problemOf(stranger, `${address}?cdn_endpoint_id=${endpoint.id}`)).toEqual([
        404,
        'endpoint_not_found',
        [],
      ]);
    }
    const { token } = await createTestOperatorToken(app, 'read');
    const operator = restClient(baseUrl, {
      authorization: `Bearer ${token}`,
      'portage-organization': context.organization.id,
    });
    expect(usageStatsSchema.parse(objectOf(await operator('GET', '/api/v1/usage/stats'))).usage).toHaveLength(
      3,
    );
  });

  it('is 304 while nothing was served, and new as soon as something was', async () => {
    const { app, client, context, site } = await withServed();
    for (const path of [
      '/api/v1/usage/stats',
      '/api/v1/usage/stats.csv',
      '/api/v1/usage/overview?period=week',
    ]) {
      const first = await client('GET', path);
      const ask = () =>
        client('GET', path, { headers: { 'if-none-match': first.headers.get('etag') ?? 'none' } });
      expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
      const again = await ask();
      expect([again.status, again.text], path).toEqual([304, '']);
      await countUsage(app, [usageRow(context.organization.id, { siteId: site.id }, { requests: 1 })]);
      expect((await ask()).status, path).toBe(200);
    }
  });
});

describe('GET /api/v1/usage/stats.csv', () => {
  it('is a file to save, with names that no spreadsheet calculates', async () => {
    const { client, site, endpoint, other } = await withServed();
    const response = await client('GET', '/api/v1/usage/stats.csv?period=day');
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="usage-2026-03-01-2026-03-01.csv"',
    );
    const lines = response.text.split('\r\n');
    expect(lines.slice(1)).toEqual([
      `2026-03-01,,${site.id},'=Blog,1000,4,3,1,4,0,0,0,0,0`,
      `2026-03-01,,${other.id},Manual,1000,4,3,1,4,0,0,0,0,0`,
      `2026-03-01,${endpoint.id},${site.id},www.example.ca,1000,4,3,1,4,0,0,0,0,0`,
      '',
    ]);
    const hours = await client('GET', '/api/v1/usage/stats.csv?period=day&granularity=hour');
    expect(hours.text.split('\r\n')[1]).toMatch(/^2026-03-01T12:00:00\.000Z,/);
    const head = await client('HEAD', '/api/v1/usage/stats.csv?period=day');
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('is read only as fast as it is sent, and no further when the connection breaks', async () => {
    const { app, baseUrl, person, context } = await withServed();
    const many = Array.from({ length: 3_000 }, (_, at) =>
      usageRow(context.organization.id, { endpointId: `endpoint-${at}` }, { requests: 1 }),
    );
    const days = 40;
    for (let day = 0; day < days; day += 1) await countUsage(app, many, app.clock.now() - day * DAY_MS);
    const reads = countReads(app);
    const stopped = new AbortController();
    const response = await fetch(`${baseUrl}/api/v1/usage/stats.csv?start_date=2026-01-21`, {
      headers: { cookie: person.sessionCookie },
      signal: stopped.signal,
    });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    const held = await settled(reads);
    expect(held).toBeGreaterThan(0);
    expect(held).toBeLessThan(days);
    stopped.abort();
    expect(await settled(reads)).toBeLessThan(days);
    const whole = await personClient(baseUrl, person)('GET', '/api/v1/usage/stats.csv?start_date=2026-01-21');
    expect(whole.text.split('\r\n')).toHaveLength(1 + days * 3_000 + 6 + 1);
  });
});

describe('GET /api/v1/usage/overview and /paths', () => {
  it('return the data of charts and lists', async () => {
    const { client, endpoint, site } = await withServed();
    const overview = usageOverviewSchema.parse(objectOf(await client('GET', '/api/v1/usage/overview')));
    expect(overview).toMatchObject({
      active_sites: 2,
      granularity: 'hour',
      summary: { total_requests: 12 },
      previous: { total_requests: 0 },
    });
    expect(overview.resources.map(({ name }) => name)).toEqual(['=Blog', 'Manual', 'www.example.ca']);
    const one = await client('GET', `/api/v1/usage/overview?cdn_endpoint_id=${endpoint.id}`);
    expect(objectOf(one)).toMatchObject({ start_date: '2026-01-31', granularity: 'day' });
    const paths = await client('GET', `/api/v1/usage/paths?site_id=${site.id}&limit=5&period=week`);
    expect(objectOf(paths)).toEqual({
      start_date: '2026-02-23',
      end_date: '2026-03-01',
      paths: [{ path: '/', total_requests: 8, total_bytes_sent: 2_000 }],
    });
  });
});

/** Counts the reads of days from now on, except for those that only sum them up. */
function countReads({ db }: OrganizationContext['app']): () => number {
  let reads = 0;
  const executor = db.getExecutor();
  const executeQuery = executor.executeQuery.bind(executor);
  executor.executeQuery = (compiled, ...rest) => {
    if (/from .usage_days/.test(compiled.sql) && !/sum\(/.test(compiled.sql)) reads += 1;
    return executeQuery(compiled, ...rest);
  };
  return () => reads;
}

/** Returns a count once it no longer grows. */
async function settled(count: () => number): Promise<number> {
  let last = -1;
  let unchanged = 0;
  await pollUntil(
    async () => {
      unchanged = count() === last ? unchanged + 1 : 0;
      last = count();
      return unchanged;
    },
    (times) => times >= 6,
  );
  return last;
}
