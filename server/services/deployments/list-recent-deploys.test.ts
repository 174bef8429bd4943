import { expect, it } from 'vitest';
import { deployTestFiles, manifestOf } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createSite } from '../sites/create-site.ts';
import { deleteSite } from '../sites/delete-site.ts';
import { listRecentDeploys } from './list-recent-deploys.ts';
import { openVersion } from './open-version.ts';

it('lists the latest deploys of all sites, each with its message, its author and what became of it', async () => {
  const app = await createTestApp();
  const person = await createTestPerson(app, { login: 'ada' });
  const { context } = person;
  const [first, second] = [
    await createSite(context, { name: 'one' }),
    await createSite(context, { name: 'two' }),
  ];
  const deploy = async (siteId: string, text: string) => {
    app.clock.advance(1_000);
    await deployTestFiles(context, siteId, { 'index.html': text });
  };
  await deploy(first.id, 'a');
  await deploy(second.id, 'b');
  await deploy(first.id, 'c');
  app.clock.advance(1_000);
  await openVersion(context, {
    site_id: second.id,
    files: manifestOf({ 'index.html': 'd' }),
    message: 'On its way',
  });
  const deploys = await listRecentDeploys(context);
  expect(
    deploys.map(({ site, number, sealed_at, was_published, is_current }) => [
      site.name,
      number,
      sealed_at !== null,
      was_published,
      is_current,
    ]),
  ).toEqual([
    ['two', 2, false, false, false],
    ['one', 2, true, true, true],
    ['two', 1, true, true, true],
    ['one', 1, true, true, false],
  ]);
  expect(deploys[0]).toMatchObject({
    message: 'On its way',
    created_by: 'ada',
    site: { id: second.id, picture: null },
  });
  expect(await listRecentDeploys(context, { limit: 1 })).toHaveLength(1);
});

it('leaves out deleted sites and what belongs to others', async () => {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const stranger = await createTestPerson(app);
  const site = await createSite(context, { name: 'one' });
  await deployTestFiles(context, site.id, { 'index.html': 'a' });
  expect(await listRecentDeploys(stranger.context)).toEqual([]);
  await deleteSite(context, { site_id: site.id });
  expect(await listRecentDeploys(context)).toEqual([]);
});
