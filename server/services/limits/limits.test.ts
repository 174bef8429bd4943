import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import { deployTestFiles, manifestOf, sha256Of, uploadTestVersion } from '#tests/support/app/deploy.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { packTar } from '#tests/support/pack-tar.ts';
import { createEndpoint } from '../cdn/create-endpoint.ts';
import { createCredential } from '../credentials/create-credential.ts';
import { deployArchive } from '../deployments/archives/deploy-archive.ts';
import { collectGarbage } from '../deployments/blobs/collect-garbage.ts';
import { uploadBlob } from '../deployments/blobs/upload-blob.ts';
import { uploadBlobBatch } from '../deployments/blobs/upload-blob-batch.ts';
import { cancelVersion } from '../deployments/cancel-version.ts';
import { openVersion } from '../deployments/open-version.ts';
import { sealVersion } from '../deployments/seal-version.ts';
import { setOrganizationLimits } from '../operator/set-organization-limits.ts';
import { createOrganization } from '../organizations/create-organization.ts';
import { acceptInvitation } from '../organizations/invitations/accept-invitation.ts';
import { inviteMember } from '../organizations/invitations/invite-member.ts';
import { resolveOrganization } from '../organizations/resolve-organization.ts';
import { createSite } from '../sites/create-site.ts';
import { deleteSite } from '../sites/delete-site.ts';
import { purgeDeletedSites } from '../sites/purge-deleted-sites.ts';
import { listLimits } from './list-limits.ts';
import type { LimitName } from './rules.ts';

async function prepare(environment: Record<string, string>) {
  const app = await createTestApp({ environment });
  const person = await createTestPerson(app);
  const { context } = person;
  const usedOf = async (name: LimitName) =>
    (await listLimits(context)).find((use) => use.name === name)?.used;
  return { app, person, context, usedOf };
}

const jobContext = (app: TestApp) => ({
  app,
  actor: { kind: 'job', name: 'test' } as const,
  requestId: '',
  address: '',
});

function codesOf(results: PromiseSettledResult<unknown>[]): string[] {
  return results
    .map((result) => (result.status === 'fulfilled' ? 'made' : String(result.reason.code)))
    .sort();
}

describe('a limit of an organization', () => {
  it('allows exactly so many sites, however many are created at once, and says what to do', async () => {
    const { app, context, usedOf } = await prepare({ LIMIT_SITES: '3' });
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const results = await atOnce(
      app,
      names.map((name) => () => createSite(context, { name: `site-${name}` })),
    );
    expect(codesOf(results)).toEqual(['limit_sites', 'limit_sites', 'limit_sites', 'made', 'made', 'made']);
    expect(await usedOf('sites')).toBe(3);
    const refusal = createSite(context, { name: 'another' });
    await expect(refusal).rejects.toMatchObject({ status: 409, params: { limit: 3 } });
    await expect(refusal).rejects.toThrow('may have 3 sites');
  });

  it('counts a deleted site until it can no longer be restored', async () => {
    const { app, context, usedOf } = await prepare({ LIMIT_SITES: '1' });
    const { id } = await createSite(context, { name: 'one' });
    await deleteSite(context, { site_id: id });
    await expect(createSite(context, { name: 'two' })).rejects.toMatchObject({ code: 'limit_sites' });
    app.clock.advance(8 * DAY_MS);
    await purgeDeletedSites(jobContext(app));
    expect(await usedOf('sites')).toBe(0);
    await createSite(context, { name: 'two' });
  });

  it('allows exactly so many open versions, also of different sites at once, until one is finished', async () => {
    const { app, context, usedOf } = await prepare({ LIMIT_OPEN_VERSIONS: '2' });
    const sites = [await createSite(context, { name: 'one' }), await createSite(context, { name: 'two' })];
    const open = (site: number) =>
      openVersion(context, { site_id: sites[site]?.id ?? '', files: manifestOf({ 'index.html': 'x' }) });
    const results = await atOnce(
      app,
      [0, 1, 0, 1].map((site) => () => open(site)),
    );
    expect(codesOf(results)).toEqual(['limit_open_versions', 'limit_open_versions', 'made', 'made']);
    const [first] = await app.db.selectFrom('site_versions').select(['id', 'site_id']).execute();
    await cancelVersion(context, { site_id: first?.site_id ?? '', version_id: first?.id ?? '' });
    expect(await usedOf('open_versions')).toBe(1);
    await open(0);
    app.clock.advance(2 * DAY_MS);
    await collectGarbage(jobContext(app));
    expect([await usedOf('open_versions'), await usedOf('versions')]).toEqual([0, 0]);
  });

  it('limits how many versions and files of versions are kept', async () => {
    const { app, context } = await prepare({ LIMIT_VERSIONS: '2', LIMIT_STORED_FILES: '100' });
    const { id } = await createSite(context, { name: 'one' });
    await deployTestFiles(context, id, { 'index.html': '1' });
    const results = await atOnce(
      app,
      ['a', 'b', 'c'].map((content) => () => uploadTestVersion(context, id, { 'index.html': content })),
    );
    expect(codesOf(results)).toEqual(['limit_versions', 'limit_versions', 'made']);
    const organization_id = context.organization.id;
    const limits = { versions: 10, stored_files: 3 };
    await setOrganizationLimits(operatorContext(app), { organization_id, limits });
    await expect(uploadTestVersion(context, id, { 'index.html': '1', 'b.html': '2' })).rejects.toMatchObject({
      code: 'limit_stored_files',
      params: { limit: 3 },
    });
    await uploadTestVersion(context, id, { 'index.html': '1' });
  });

  it('applies to endpoints, credentials, invitations, members, and the organizations of a person', async () => {
    const limits = ['ENDPOINTS', 'CREDENTIALS', 'INVITATIONS', 'ORGANIZATIONS_OF_PERSON'];
    const { app, person, context } = await prepare({
      ...Object.fromEntries(limits.map((name) => [`LIMIT_${name}`, '1'])),
      LIMIT_MEMBERS: '2',
    });
    const site = await createSite(context, { name: 'one' });
    const endpoint = (hostname: string) => () =>
      createEndpoint(context, { hostname, origin_type: 'site', site_id: site.id });
    const endpoints = await atOnce(app, [endpoint('a.example.ca'), endpoint('b.example.ca')]);
    expect(codesOf(endpoints)).toEqual(['limit_endpoints', 'made']);
    const credential = () => createCredential(context, { name: 'CI', scopes: [] });
    expect(codesOf(await atOnce(app, [credential, credential]))).toEqual(['limit_credentials', 'made']);
    const create = (handle: string) => () => createOrganization(context, { name: handle, handle });
    const organizations = await atOnce(app, [create('rivers'), create('lakes')]);
    expect(codesOf(organizations)).toEqual(['limit_organizations', 'made']);
    const named = organizations.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const inside = await resolveOrganization(person.context, named[0]?.organization.id ?? '');
    const invite = () => inviteMember(inside, { permission: 'read' });
    const invited = await atOnce(app, [invite, invite]);
    expect(codesOf(invited)).toEqual(['limit_invitations', 'made']);
    await setOrganizationLimits(operatorContext(app), {
      organization_id: inside.organization.id,
      limits: { invitations: 2 },
    });
    await invite();
    const links = await app.db
      .selectFrom('organization_invitations')
      .select(['id', 'token_sealed'])
      .execute();
    const others = [await createTestPerson(app), await createTestPerson(app)];
    const joins = await atOnce(
      app,
      links.map(({ id, token_sealed }, index) => () => {
        const other = others[index]?.context ?? context;
        return acceptInvitation(other, { token: app.sealer.open(token_sealed, id) });
      }),
    );
    expect(codesOf(joins)).toEqual(['limit_members', 'made']);
  });
});

it('everything that an organization has is counted by two statements, however many limits there are', async () => {
  const { app, context } = await prepare({});
  let statements = 0;
  const db = app.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      statements += 1;
      return result;
    },
  });
  expect(await listLimits({ ...context, app: { ...app, db } })).toEqual(await listLimits(context));
  expect(statements).toBe(2);
});

describe('the limit of stored bytes', () => {
  const kib = (letter: string) => letter.repeat(1024);

  async function prepareSite() {
    const world = await prepare({ LIMIT_STORED_BYTES: String(4 * 1024) });
    const { id } = await createSite(world.context, { name: 'one' });
    return { ...world, site_id: id };
  }

  it('refuses before the upload what cannot be kept, and counts content once', async () => {
    const { context, site_id, usedOf } = await prepareSite();
    await deployTestFiles(context, site_id, {
      'index.html': kib('a'),
      'copy.html': kib('a'),
      'b.html': kib('b'),
    });
    expect(await usedOf('stored_bytes')).toBe(2048);
    const tooMuch = { 'c.html': kib('c'), 'd.html': kib('d'), 'e.html': kib('e') };
    const refused = openVersion(context, { site_id, files: manifestOf(tooMuch) });
    await expect(refused).rejects.toMatchObject({ code: 'limit_stored_bytes', params: { limit: 4096 } });
    expect([await usedOf('versions'), await usedOf('open_versions')]).toEqual([1, 0]);
    // Existing content takes no more room.
    await deployTestFiles(context, site_id, {
      'index.html': kib('b'),
      'a.html': kib('a'),
      'c.html': kib('c'),
    });
    expect(await usedOf('stored_bytes')).toBe(3072);
  });

  it('is not exceeded by uploads of versions that were opened while there was room', async () => {
    const { app, context, site_id, usedOf } = await prepareSite();
    const versions = [];
    for (const letter of ['a', 'b']) {
      const files = {
        'one.html': kib(letter),
        'two.html': kib(letter.toUpperCase()),
        'x.html': kib(`${letter}x`).slice(0, 1024),
      };
      versions.push({ files, ...(await openVersion(context, { site_id, files: manifestOf(files) })) });
    }
    const contents = versions.flatMap(({ id, files }) =>
      Object.values(files).map((content) => ({ id, content })),
    );
    const results = await atOnce(
      app,
      contents.map(
        ({ id, content }) =>
          () =>
            uploadBlob(
              context,
              { site_id, version_id: id, sha256: sha256Of(content) },
              Readable.from([Buffer.from(content)]),
            ),
      ),
    );
    const codes = codesOf(results);
    expect(codes.filter((code) => code === 'made')).toHaveLength(4);
    // It depends on whether the others have arrived or are still arriving.
    for (const code of codes) expect(['made', 'limit_stored_bytes', 'organization_busy']).toContain(code);
    expect(await usedOf('stored_bytes')).toBe(4096);
    const refused = contents[results.findIndex(({ status }) => status === 'rejected')]?.id ?? '';
    const rest = contents.filter(({ id }) => id === refused).map(({ content }) => content);
    const tar = await packTar(Object.fromEntries(rest.map((content) => [sha256Of(content), content])));
    await expect(
      uploadBlobBatch(context, { site_id, version_id: refused }, Readable.from([tar])),
    ).rejects.toMatchObject({ code: 'limit_stored_bytes' });
  });

  it('includes what is arriving: more is refused before it is sent, and accepted when that has been given up', async () => {
    const { context, site_id } = await prepareSite();
    const files = { 'a.html': kib('a'), 'b.html': kib('b'), 'c.html': kib('c') };
    const { id: version_id } = await openVersion(context, { site_id, files: manifestOf(files) });
    const more = { 'd.html': kib('d'), 'e.html': kib('e') };
    const { id: next_id } = await openVersion(context, { site_id, files: manifestOf(more) });
    const arriving = Object.values(files).map((content) => {
      const begun = Promise.withResolvers<void>();
      const sender = new Readable({ read: () => begun.resolve() });
      const input = { site_id, version_id, sha256: sha256Of(content) };
      return {
        sender,
        begun: begun.promise,
        ended: uploadBlob(context, input, sender).catch(() => 'given up'),
      };
    });
    await Promise.all(arriving.map(({ begun }) => begun));
    const send = (content: string) =>
      uploadBlob(
        context,
        { site_id, version_id: next_id, sha256: sha256Of(content) },
        Readable.from([Buffer.from(content)]),
      );
    await send(kib('d'));
    await expect(send(kib('e'))).rejects.toMatchObject({ code: 'organization_busy' });
    const tar = await packTar({ [sha256Of(kib('e'))]: kib('e') });
    const batch = uploadBlobBatch(context, { site_id, version_id: next_id }, Readable.from([tar]));
    await expect(batch).rejects.toMatchObject({ code: 'organization_busy' });
    for (const { sender } of arriving) sender.destroy(new Error('gone'));
    expect(await Promise.all(arriving.map(({ ended }) => ended))).toEqual(Array(3).fill('given up'));
    expect(await send(kib('e'))).toMatchObject({ size: 1024 });
  });

  it('is not exceeded by concurrent batches of many contents, and what is refused takes no room', async () => {
    const { app, context, site_id, usedOf } = await prepareSite();
    const batches = [];
    for (const letter of ['a', 'b', 'c']) {
      const files = {
        'one.html': kib(letter),
        'two.html': kib(letter.toUpperCase()),
        'x.html': `${letter}!`,
      };
      const { id } = await openVersion(context, { site_id, files: manifestOf(files) });
      const contents = Object.values(files);
      const tar = await packTar(Object.fromEntries(contents.map((content) => [sha256Of(content), content])));
      batches.push(() =>
        uploadBlobBatch(
          context,
          { site_id, version_id: id },
          Readable.from([tar.subarray(0, 700), tar.subarray(700)]),
        ),
      );
    }
    const results = await atOnce(app, batches);
    const refusals = codesOf(results).filter((code) => code !== 'made');
    expect(refusals.length).toBeGreaterThan(0);
    for (const code of refusals) expect(['limit_stored_bytes', 'organization_busy']).toContain(code);
    const used = Number(await usedOf('stored_bytes'));
    expect(used).toBeLessThanOrEqual(4096);
    const { kept } = await app.db
      .selectFrom('organization_blobs')
      .select(({ fn }) => fn.sum<string>('size').as('kept'))
      .executeTakeFirstOrThrow();
    expect(Number(kept)).toBe(used);
  });

  it('ends an archive when there is no more room, and leaves nothing of it', async () => {
    const { context, site_id, usedOf } = await prepareSite();
    const deploy = async (files: Record<string, string>) =>
      deployArchive(context, { site_id }, { type: 'tar', content: Readable.from([await packTar(files)]) });
    await deploy({ 'a.html': kib('a'), 'b.html': kib('b'), 'c.html': kib('c') });
    await deploy({ 'a.html': kib('a'), 'b.html': kib('b'), 'd.html': kib('d') });
    expect(await usedOf('stored_bytes')).toBe(4096);
    await expect(deploy({ 'a.html': kib('a'), 'e.html': kib('e') })).rejects.toMatchObject({
      code: 'limit_stored_bytes',
    });
    expect([await usedOf('stored_bytes'), await usedOf('versions')]).toEqual([4096, 2]);
    await deploy({ 'again.html': kib('d') });
  });

  it('has room again when content was collected, and the sums are those of the rows', async () => {
    const { app, context, site_id, usedOf } = await prepareSite();
    const other = await createSite(context, { name: 'two' });
    await deployTestFiles(context, site_id, { 'a.html': kib('a'), 'b.html': kib('b') });
    await deployTestFiles(context, other.id, { 'a.html': kib('a'), 'c.html': kib('c') });
    await uploadTestVersion(context, other.id, { 'd.html': kib('d') });
    await deleteSite(context, { site_id: other.id });
    app.clock.advance(8 * DAY_MS);
    await purgeDeletedSites(jobContext(app));
    await collectGarbage(jobContext(app));
    app.clock.advance(2 * DAY_MS);
    await collectGarbage(jobContext(app));
    expect(await usedOf('stored_bytes')).toBe(2048);
    expect([await usedOf('versions'), await usedOf('open_versions'), await usedOf('stored_files')]).toEqual([
      1, 0, 2,
    ]);
    const open = await openVersion(context, { site_id, files: manifestOf({ 'a.html': kib('a') }) });
    await sealVersion(context, { site_id, version_id: open.id });
    expect([await usedOf('versions'), await usedOf('open_versions'), await usedOf('stored_files')]).toEqual([
      2, 0, 3,
    ]);
  });
});
