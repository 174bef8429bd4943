import { expect, it } from 'vitest';
import type { OrganizationContext } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createSite } from '../sites/create-site.ts';
import { listEndpoints } from './list-endpoints.ts';
import { pageEndpoints } from './page-endpoints.ts';

async function insertEndpoint(context: OrganizationContext, hostname: string, siteId: string | null) {
  const now = context.app.clock.now();
  await context.app.db
    .insertInto('cdn_endpoints')
    .values({
      id: newId(),
      organization_id: context.organization.id,
      hostname,
      cname_target: 'a.edge.localhost',
      origin_type: siteId ? 'site' : 'redirect',
      site_id: siteId,
      redirect_target: siteId ? null : 'https://example.ca',
      created_at: now,
      updated_at: now,
    })
    .execute();
}

it('endpoints are listed by hostname, by site when requested, within the organization and the scopes', async () => {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const stranger = await createTestPerson(app);
  const site = await createSite(context, { name: 'Blog' });
  await insertEndpoint(context, 'www.example.ca', site.id);
  await insertEndpoint(context, 'example.ca', null);
  await insertEndpoint(stranger.context, 'other.example', null);
  expect(await listEndpoints(context, {})).toMatchObject([
    { hostname: 'example.ca', site_name: null, redirect_target: 'https://example.ca' },
    { hostname: 'www.example.ca', site_name: 'Blog', origin_type: 'site' },
  ]);
  expect(await listEndpoints(context, { site_id: site.id })).toMatchObject([{ hostname: 'www.example.ca' }]);
  expect(await listEndpoints(stranger.context, { site_id: site.id })).toEqual([]);
  expect(await listEndpoints(credentialContext(context, [site.id]), {})).toMatchObject([
    { site_id: site.id },
  ]);
  expect(await listEndpoints(credentialContext(context, []), {})).toEqual([]);
});

it('endpoints come in pages by hostname, those that a search finds, within the organization and the scopes', async () => {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const stranger = await createTestPerson(app);
  const site = await createSite(context, { name: 'Café' });
  for (const at of [5, 3, 1, 4, 2]) await insertEndpoint(context, `n${at}.example`, site.id);
  await insertEndpoint(context, 'www.xn--caf-dma.example', null);
  await insertEndpoint(stranger.context, 'n0.example', null);
  const readAll = async (of: OrganizationContext, search?: string, site_id?: string) => {
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const { items, next_cursor } = await pageEndpoints(of, { limit: 2, search, site_id, cursor });
      pages.push(items.map(({ hostname }) => hostname));
      cursor = next_cursor ?? undefined;
    } while (cursor !== undefined);
    return pages;
  };
  expect(await readAll(context)).toEqual([
    ['n1.example', 'n2.example'],
    ['n3.example', 'n4.example'],
    ['n5.example', 'www.xn--caf-dma.example'],
  ]);
  expect(await readAll(context, 'CAFE n')).toEqual([
    ['n1.example', 'n2.example'],
    ['n3.example', 'n4.example'],
    ['n5.example', 'www.xn--caf-dma.example'],
  ]);
  expect(await readAll(context, 'www café')).toEqual([['www.xn--caf-dma.example']]);
  expect(await readAll(context, 'nowhere')).toEqual([[]]);
  expect(await readAll(context, undefined, site.id)).toEqual([
    ['n1.example', 'n2.example'],
    ['n3.example', 'n4.example'],
    ['n5.example'],
  ]);
  expect(await readAll(stranger.context, undefined, site.id)).toEqual([[]]);
  expect((await readAll(credentialContext(context, [site.id]))).flat()).toHaveLength(5);
  expect(await readAll(credentialContext(context, []))).toEqual([[]]);
});

it('pages of endpoints go on after the longest hostname', async () => {
  const { context } = await createTestPerson(await createTestApp());
  const label = 'a'.repeat(61);
  const longest = `${[label, label, label, label].join('.')}.ca.ca`;
  expect(longest).toHaveLength(253);
  for (const hostname of [longest, 'b.example']) await insertEndpoint(context, hostname, null);
  const { next_cursor } = await pageEndpoints(context, { limit: 1 });
  const { items } = await pageEndpoints(context, { limit: 1, cursor: next_cursor ?? '' });
  expect(items).toMatchObject([{ hostname: 'b.example' }]);
});
