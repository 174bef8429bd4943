import { expect, it } from 'vitest';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { createSite } from './create-site.ts';
import { deleteSite } from './delete-site.ts';
import { getSitePicture } from './get-site-picture.ts';
import { takePictures } from './take-pictures.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

async function prepare() {
  const app = await createTestApp();
  const owner = await createTestPerson(app);
  const site = await createSite(owner.context, { name: 'Harbour' });
  await deployTestFiles(owner.context, site.id, { 'favicon.png': PNG });
  await takePictures({ app });
  return { app, owner, input: { site_id: site.id } };
}

it('is there for every member, whichever organization they stand in', async () => {
  const { app, owner, input } = await prepare();
  const member = await createTestPerson(app);
  await joinOrganization(member, owner.organization.id, 'read');
  const picture = await getSitePicture(member.context, input);
  expect(picture).toMatchObject({ bytes: PNG, mediaType: 'image/png' });
});

it('is not there for anybody else, who does not learn that the site exists', async () => {
  const { app, input } = await prepare();
  const stranger = await createTestPerson(app);
  const refusal = { code: 'site_not_found' };
  await expect(getSitePicture(stranger.context, input)).rejects.toMatchObject(refusal);
  const unknown = getSitePicture(stranger.context, { site_id: '01jzzzzzzzzzzzzzzzzzzzzzzz' });
  await expect(unknown).rejects.toMatchObject(refusal);
  const anonymous = { ...stranger.context, actor: { kind: 'anonymous' } as const };
  await expect(getSitePicture(anonymous, input)).rejects.toMatchObject({ code: 'unauthenticated' });
});

it('is gone with a deleted site, and missing before there is one', async () => {
  const { owner, input } = await prepare();
  const empty = await createSite(owner.context, { name: 'Empty' });
  await deployTestFiles(owner.context, empty.id, { 'data.json': '{}' });
  await expect(getSitePicture(owner.context, { site_id: empty.id })).rejects.toMatchObject({
    code: 'not_found',
  });
  await deleteSite(owner.context, input);
  await expect(getSitePicture(owner.context, input)).rejects.toMatchObject({ code: 'site_not_found' });
});
