import { expect, it } from 'vitest';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createEndpoint } from '../cdn/create-endpoint.ts';
import { countHosted } from './count-hosted.ts';
import { createSite } from './create-site.ts';
import { deleteSite } from './delete-site.ts';

it('counts the sites and endpoints of the organization alone, and which of them are live', async () => {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const other = await createTestPerson(app);
  expect(await countHosted(context)).toEqual({
    sites: 0,
    live_sites: 0,
    endpoints: 0,
    certified_endpoints: 0,
  });
  const live = await createSite(context, { name: 'live' });
  await deployTestFiles(context, live.id, { 'index.html': 'x' });
  await createSite(context, { name: 'empty' });
  const gone = await createSite(context, { name: 'gone' });
  await deleteSite(context, { site_id: gone.id });
  await createSite(other.context, { name: 'theirs' });
  for (const hostname of ['a.example.ca', 'b.example.ca']) {
    await createEndpoint(context, { hostname, site_id: live.id });
  }
  await app.db
    .updateTable('certificate_bundles')
    .set({ issued_at: 1 })
    .where('domain_name', '=', 'a.example.ca')
    .execute();
  expect(await countHosted(context)).toEqual({
    sites: 2,
    live_sites: 1,
    endpoints: 2,
    certified_endpoints: 1,
  });
});

it('counts no suspended site as live, and none of a suspended organization', async () => {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  for (const name of ['blocked', 'live']) {
    const { id } = await createSite(context, { name });
    await deployTestFiles(context, id, { 'index.html': 'x' });
  }
  await app.db.updateTable('sites').set({ suspended_at: 1 }).where('name', '=', 'blocked').execute();
  expect(await countHosted(context)).toMatchObject({ sites: 2, live_sites: 1 });
  const suspended = { ...context, organization: { ...context.organization, isSuspended: true } };
  expect(await countHosted(suspended)).toMatchObject({ sites: 2, live_sites: 0 });
});
