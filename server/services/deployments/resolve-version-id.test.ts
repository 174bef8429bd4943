import { expect, it } from 'vitest';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createSite } from '../sites/create-site.ts';
import { resolveVersionId } from './resolve-version-id.ts';

it('finds a version of the site by its number, and leaves ids and anything unknown as they are', async () => {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'blog' });
  const { version_id } = await deployTestFiles(context, site.id, { 'index.html': 'first' });
  expect(await resolveVersionId(context, site.id, '1')).toBe(version_id);
  expect(await resolveVersionId(context, site.id, version_id)).toBe(version_id);
  for (const named of ['2', '0', '01', '99999999999', 'newest']) {
    expect(await resolveVersionId(context, site.id, named)).toBe(named);
  }
  const stranger = await createTestPerson(app);
  expect(await resolveVersionId(stranger.context, site.id, '1')).toBe('1');
});
