import { expect, it } from 'vitest';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createSite } from './create-site.ts';
import { resolveSiteId } from './resolve-site-id.ts';

it('finds a site of the organization by its address, and leaves ids and anything unknown as they are', async () => {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'My Blog' });
  expect(await resolveSiteId(context, 'myblog')).toBe(site.id);
  expect(await resolveSiteId(context, site.id)).toBe(site.id);
  expect(await resolveSiteId(context, 'nothing')).toBe('nothing');
  const stranger = await createTestPerson(app);
  expect(await resolveSiteId(stranger.context, 'myblog')).toBe('myblog');
});
