import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { deployTestFiles, uploadTestVersion } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { createSite } from '../../sites/create-site.ts';
import { deployArchive } from './deploy-archive.ts';
import { writeVersionArchive } from './write-version-archive.ts';

const files = {
  'index.html': '<h1>hello</h1>',
  'empty.txt': '',
  'assets/é.bin': Buffer.alloc(3_000_000, 7),
  [`long/${'x'.repeat(180)}/${'y'.repeat(180)}.txt`]: 'long',
};

async function prepare() {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'blog' });
  return { app, context, site };
}

describe('downloading a version', () => {
  it('returns an archive that deploys to the same files', async () => {
    const { context, site } = await prepare();
    const first = await deployTestFiles(context, site.id, files);
    const archive = await writeVersionArchive(context, { site_id: site.id, version_id: first.version_id });
    expect(archive.filename).toBe('blog-v1.tar.gz');
    const bytes = await buffer(archive.stream);
    const again = await deployArchive(
      context,
      { site_id: site.id },
      { type: 'tar.gz', content: Readable.from([bytes]) },
    );
    expect(again).toMatchObject({ added: 0, changed: 0, removed: 0, unchanged: 4, new_bytes: 0 });
  });

  it('ends quietly when the reader disconnects', async () => {
    const { context, site } = await prepare();
    const { version_id } = await deployTestFiles(context, site.id, files);
    const { stream } = await writeVersionArchive(context, { site_id: site.id, version_id });
    await new Promise((resolve) => stream.once('readable', resolve));
    stream.destroy();
    await new Promise((resolve) => stream.once('close', resolve));
  });

  it('closes what it opened when the archive is not read at all', async () => {
    const { app, context, site } = await prepare();
    const { version_id } = await deployTestFiles(context, site.id, { 'index.html': 'hello' });
    const open = app.blobs.open.bind(app.blobs);
    const counts = { opened: 0, closed: 0 };
    app.blobs.open = async (sha256, encoding) => {
      const handle = await open(sha256, encoding);
      if (!handle) return null;
      counts.opened += 1;
      const close = handle.close.bind(handle);
      handle.close = async () => {
        await close();
        counts.closed += 1;
      };
      return handle;
    };
    const { stream } = await writeVersionArchive(context, { site_id: site.id, version_id });
    stream.destroy();
    const last = await pollUntil(
      async () => ({ ...counts }),
      ({ closed }) => closed === 1,
      40,
    );
    expect(last).toEqual({ opened: 1, closed: 1 });
  });

  it('refuses a version that is still open', async () => {
    const { context, site } = await prepare();
    const version_id = await uploadTestVersion(context, site.id, files);
    await expect(writeVersionArchive(context, { site_id: site.id, version_id })).rejects.toMatchObject({
      code: 'version_not_sealed',
    });
  });

  it('belongs to its organization', async () => {
    const { app, context, site } = await prepare();
    const { version_id } = await deployTestFiles(context, site.id, files);
    const stranger = (await createTestPerson(app)).context;
    const input = { site_id: site.id, version_id };
    await expect(writeVersionArchive(stranger, input)).rejects.toMatchObject({ code: 'site_not_found' });
  });
});
