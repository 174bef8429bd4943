import { join } from 'node:path';
import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { Locator, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '#server/durations.ts';
import {
  arrive,
  DESKTOP,
  expectAccessible,
  expectFitsPhone,
  PHONE,
  startJourney,
} from '#tests/support/browser/journey.ts';
import { signInAgain } from '#tests/support/browser/sign-in-again.ts';
import { ageUploads } from '#tests/support/server/server-database.ts';
import { makeBuckets } from '#tests/support/storage/s3-client.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';

const journey = startJourney();
const MIB = 1024 ** 2;
/** One pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Signs in a person on the page of their new bucket. */
async function visitBucket(locale: 'en-CA' | 'fr-CA' = 'en-CA', provoked?: RegExp) {
  const visitor = await journey().visitSignedIn({ locale, ...(provoked && { provoked }) });
  const { api, page, organizationId } = visitor;
  const maker = makeBuckets(journey().server, api);
  // As long as a name may be: it has to fit wherever it stands.
  const bucket = await maker.createBucket(`objects-${'o'.repeat(46)}-${organizationId.slice(-8)}`);
  await arrive(page, `/${organizationId}/storage`);
  await page.getByRole('link', { name: bucket.name }).click();
  await page.getByRole('heading', { name: bucket.name }).waitFor();
  return { ...visitor, maker, bucket };
}

const choose = (page: Page, files: { name: string; mimeType?: string; buffer: Buffer }[]) =>
  page
    .getByLabel('Files', { exact: true })
    .setInputFiles(files.map((file) => ({ mimeType: 'text/plain', ...file })));
/** Chooses `large.bin`, which the browser reads from the disk itself. */
async function chooseLarge(page: Page, content: Buffer): Promise<void> {
  const folder = await makeTemporaryFolder({ 'large.bin': content });
  await page.getByLabel('Files', { exact: true }).setInputFiles(join(folder, 'large.bin'));
}
const rowOf = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Objects' }).getByRole('listitem').filter({ hasText: name });
const uploadOf = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Uploads' }).getByRole('listitem').filter({ hasText: name });

describe('the content of a bucket', () => {
  it('is uploaded, found, viewed, shared, downloaded and deleted', async () => {
    const { page, maker, bucket, organizationId } = await visitBucket();
    await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
    // A credential for a client has access to the bucket whose page led there.
    await page.getByRole('link', { name: 'Connect a client', exact: true }).click();
    const guide = page.getByRole('dialog', { name: /^Connect a client to / });
    await guide.getByRole('link', { name: 'Create one under Credentials' }).click();
    await page.getByRole('dialog', { name: 'Create credential' }).getByText('1 selected').waitFor();
    await page.goBack();
    await guide.waitFor();
    await page.keyboard.press('Escape');
    await guide.waitFor({ state: 'hidden' });
    await choose(page, [
      { name: 'notes été.md', buffer: Buffer.from('# Notes\nde l’été') },
      { name: 'pixel.png', mimeType: 'image/png', buffer: PICTURE },
      { name: 'empty.bin', mimeType: '', buffer: Buffer.alloc(0) },
    ]);
    await page.getByText('3 of 3 files').waitFor();
    await rowOf(page, 'pixel.png').waitFor();
    await page.getByText('3 objects').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await page.getByRole('button', { name: 'Clear finished' }).click();

    await rowOf(page, 'notes été.md').getByRole('link').click();
    const panel = page.getByRole('dialog');
    await panel.getByRole('region', { name: 'Preview' }).getByText('de l’été').waitFor();
    await panel.getByText('text/plain').waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 640, height: 400 });
    await panel.getByRole('button', { name: 'Create link' }).click();
    const link = panel.getByRole('region', { name: 'Copy the link' });
    await link.waitFor();
    const bottom = async () =>
      Number((await link.boundingBox())?.y) + Number((await link.boundingBox())?.height);
    await expect.poll(bottom).toBeLessThanOrEqual(400);
    await page.setViewportSize(DESKTOP);
    const stranger = await journey().visit();
    const shared = await stranger.page.goto((await link.innerText()).trim());
    expect([shared?.status(), await shared?.text()]).toEqual([200, '# Notes\nde l’été']);
    await panel.getByRole('button', { name: 'Close' }).click();

    await rowOf(page, 'pixel.png').getByRole('link').click();
    const picture = panel.getByRole('img', { name: 'pixel.png' });
    await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1);
    const download = page.waitForEvent('download');
    await panel.getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('pixel.png');
    await panel.getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('dialog', { name: 'Delete pixel.png?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByText('1 object was deleted').waitFor();
    await rowOf(page, 'pixel.png').waitFor({ state: 'detached' });

    const keys = await maker.createKeys([bucket.id]);
    const client = maker.client(keys);
    for (const Key of ['photos/2026/a.jpg', 'photos/2026/b.jpg', 'photos/c.jpg', 'plans.txt']) {
      await client.send(new PutObjectCommand({ Bucket: bucket.name, Key, Body: 'x' }));
    }
    await page.reload();
    await rowOf(page, 'photos/').getByRole('link').click();
    await rowOf(page, 'c.jpg').waitFor();
    await rowOf(page, '2026/').getByRole('link').click();
    await rowOf(page, 'b.jpg').waitFor();
    const path = page.getByRole('navigation', { name: 'Breadcrumb' });
    expect(await path.getByRole('listitem').allInnerTexts()).toEqual([
      'Object storage',
      bucket.name,
      'photos',
      '2026',
    ]);
    await path.getByRole('link', { name: bucket.name }).click();
    const search = page.getByRole('searchbox', { name: 'Names that begin with' });
    await search.fill('pl');
    await rowOf(page, 'photos/').waitFor({ state: 'detached' });
    await rowOf(page, 'plans.txt').waitFor();
    await search.fill('zz');
    await page.getByText('No name begins with “zz”.').waitFor();
    await search.fill('');
    await page.getByRole('checkbox', { name: 'Select photos' }).check();
    await page.getByText('1 selected').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Delete photos?' });
    await question.getByText(/^Folders are deleted with everything in them/).waitFor();
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('3 objects were deleted').waitFor();
    await rowOf(page, 'photos/').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Usage this month' }).waitFor();
    await arrive(page, `/${organizationId}/usage`);
    const usage = page.getByRole('table', { name: 'Buckets' });
    await usage.getByRole('row', { name: new RegExp(bucket.name) }).waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    const csv = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Storage as CSV' }).click();
    expect((await csv).suggestedFilename()).toMatch(/^storage-.*\.csv$/);
    await arrive(page, `/${organizationId}/audit`);
    await page.getByText(`deleted objects from the bucket ${bucket.name}`).first().waitFor();
  });

  it('has a panel that can be closed and a path that fits, however long its name is', async () => {
    const { page, maker, bucket } = await visitBucket();
    const client = maker.client(await maker.createKeys([bucket.id]));
    const key = `${'harbour_'.repeat(25)}.txt`;
    await client.send(new PutObjectCommand({ Bucket: bucket.name, Key: key, Body: 'x' }));
    await page.reload();
    await page.getByText(key).first().click();
    const panel = page.getByRole('dialog', { name: key });
    const edgeOf = (shown: Locator) => shown.evaluate((element) => element.getBoundingClientRect().right);
    for (const size of [DESKTOP, PHONE]) {
      await page.setViewportSize(size);
      await expect.poll(() => edgeOf(panel.getByRole('button', { name: 'Close' }))).toBeLessThan(size.width);
    }
    const folder = 'harbour_'.repeat(12);
    const prefix = [folder, folder, folder, ''].join('/');
    await arrive(page, `${new URL(page.url()).pathname}?${new URLSearchParams({ prefix })}`);
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText(folder).last().waitFor();
    await expectFitsPhone(page);
  });

  it('is not overwritten without a question', async () => {
    const { page, maker, bucket } = await visitBucket();
    await choose(page, [{ name: 'a.txt', buffer: Buffer.from('first') }]);
    await page.getByText('1 of 1 file').waitFor();
    await choose(page, [{ name: 'a.txt', buffer: Buffer.from('second') }]);
    await uploadOf(page, 'a.txt').getByText('An object with this name already exists.').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    const client = maker.client(await maker.createKeys([bucket.id]));
    const read = async () =>
      (
        await client.send(new GetObjectCommand({ Bucket: bucket.name, Key: 'a.txt' }))
      ).Body?.transformToString();
    expect(await read()).toBe('first');
    await uploadOf(page, 'a.txt').getByRole('button', { name: 'Replace a.txt' }).click();
    await expect.poll(read).toBe('second');
  });

  it('is uploaded in parts when it is large, pauses, and continues where it was', async () => {
    const { page, maker, bucket } = await visitBucket();
    const content = Buffer.alloc(20 * MIB);
    for (let at = 0; at < content.length; at += MIB) content.writeUInt32BE(at, at);
    // Two parts arrive; the third waits until it is allowed through.
    let isOpen = false;
    await page.route(/partNumber=/, async (route) => {
      const number = Number(new URL(route.request().url()).searchParams.get('partNumber'));
      if (isOpen || number <= 2) await route.continue();
    });
    await chooseLarge(page, content);
    const row = uploadOf(page, 'large.bin');
    await row.getByText('80%').waitFor();
    const client = maker.client(await maker.createKeys([bucket.id]));
    const uploads = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket.name }));
    const [{ UploadId = '' } = {}] = uploads.Uploads ?? [];
    const listParts = async () => {
      const listed = await client.send(
        new ListPartsCommand({ Bucket: bucket.name, Key: 'large.bin', UploadId }),
      );
      return listed.Parts?.map(({ PartNumber }) => PartNumber);
    };
    // What has been sent is not yet what has arrived.
    await expect.poll(listParts).toEqual([1, 2]);
    await row.getByRole('button', { name: 'Pause large.bin' }).click();
    await row.getByText(/^Paused at/).waitFor();
    await expectAccessible(page);
    expect(await listParts()).toEqual([1, 2]);
    const sent: number[] = [];
    page.on('request', (request) => {
      const number = new URL(request.url()).searchParams.get('partNumber');
      if (request.method() === 'PUT' && number !== null) sent.push(Number(number));
    });
    isOpen = true;
    await row.getByRole('button', { name: 'Resume large.bin' }).click();
    await page.getByText('1 of 1 file').waitFor();
    expect(sent.toSorted()).toEqual([3]);
    const object = await client.send(new GetObjectCommand({ Bucket: bucket.name, Key: 'large.bin' }));
    const read = Buffer.from((await object.Body?.transformToByteArray()) ?? []);
    expect(read.equals(content)).toBe(true);
  });

  it('is uploaded to its end after the server was away, and after another sign-in, without being chosen again', async () => {
    const provoked = /^TRPCClientError|Failed to fetch/;
    const visitor = await visitBucket('en-CA', provoked);
    const { page, api } = visitor;
    let isDown = false;
    let parts = 0;
    await page.route('**/*', async (route) => {
      if (/partNumber=/.test(route.request().url())) parts += 1;
      // The first part arrives before the server is lost.
      if (parts > 1 && parts < 4) isDown = true;
      // A page that responds has loaded the script of the notice.
      const isKnown = new URL(route.request().url()).pathname.startsWith('/assets/');
      await (isDown && !isKnown ? route.abort() : route.continue());
    });
    const large = { mimeType: 'application/octet-stream', buffer: Buffer.alloc(20 * MIB) };
    await choose(page, [{ name: 'away.bin', ...large }]);
    await page.getByRole('status').getByText('The server cannot be reached.', { exact: false }).waitFor();
    expect(await uploadOf(page, 'away.bin').getByRole('alert').count()).toBe(0);
    parts = 4;
    isDown = false;
    await page.getByText('1 of 1 file').waitFor({ timeout: 30_000 });

    await api('POST', '/auth/logout');
    await choose(page, [{ name: 'later.bin', ...large }]);
    const question = page.getByRole('dialog', { name: 'Your session has ended' });
    await question.waitFor();
    await uploadOf(page, 'later.bin').getByText('Your session has ended.', { exact: false }).waitFor();
    await signInAgain(visitor, question);
    await page.getByText('2 of 2 files').waitFor({ timeout: 30_000 });
  });

  it('includes what clients began and did not complete, which is ended one by one or when it is old', async () => {
    const { page, maker, bucket } = await visitBucket();
    const client = maker.client(await maker.createKeys([bucket.id]));
    const section = page.locator('section').filter({ hasText: 'Unfinished uploads' });
    await section.getByText('There are none: every upload is complete.').waitFor();
    const mark = bucket.id;
    const begin = async (name: string, Body?: string) => {
      const upload = { Bucket: bucket.name, Key: `${mark}/${name}` };
      const { UploadId } = await client.send(new CreateMultipartUploadCommand(upload));
      if (Body) await client.send(new UploadPartCommand({ ...upload, UploadId, PartNumber: 1, Body }));
    };
    for (let index = 0; index < 22; index += 1) await begin(`old-${index}`);
    await ageUploads(journey().server, `${mark}/old`, 25 * HOUR_MS);
    await begin('young', 'x'.repeat(1_024));
    await page.reload();
    await section.getByText('23 uploads store 1.00 KB.').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await section.getByRole('button', { name: 'Abandon 22 older than a day' }).click();
    await page.getByRole('dialog', { name: 'Abandon 22 uploads?' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Abandon', exact: true }).last().click();
    await section.getByText('1 upload stores 1.00 KB.').waitFor();
    const row = section.getByRole('listitem').filter({ hasText: 'young' });
    await row.getByText('Active recently').waitFor();
    await row.getByText(/^(just now|\d minutes? ago)$/).waitFor();
    const abandon = row.getByRole('button', { name: `Abandon the upload of ${mark}/young` });
    await abandon.focus();
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog', { name: 'Abandon the upload of young?' });
    await question.getByText(/^It may still be in progress: its last part arrived/).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('The upload of young was abandoned').waitFor();
    await section.getByText('There are none').waitFor();

    // One that this tab is sending is ended there, too.
    await page.route(/partNumber=2/, () => undefined);
    await chooseLarge(page, Buffer.alloc(12 * MIB));
    await uploadOf(page, 'large.bin').getByText('66%').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Sites' }).click();
    await page
      .getByRole('region', { name: `Uploads to ${bucket.name}` })
      .getByRole('link')
      .click();
    await section.getByRole('listitem').filter({ hasText: 'In this tab' }).getByRole('button').click();
    const sending = page.getByRole('dialog', { name: 'Abandon the upload of large.bin?' });
    await sending.getByText('It is in this tab’s list of uploads, and will be cancelled there.').waitFor();
    await sending.getByRole('button', { name: 'Abandon' }).click();
    await uploadOf(page, 'large.bin').waitFor({ state: 'detached' });
    await section.getByText('There are none').waitFor();
  });

  it('goes on while other pages are open, and leads back to its bucket', async () => {
    const { page, bucket, organizationId } = await visitBucket();
    const held = Promise.withResolvers<void>();
    await page.route(/slow\.txt\?/, async (route) => {
      if (route.request().method() === 'PUT') await held.promise;
      await route.continue();
    });
    await choose(page, [{ name: 'slow.txt', buffer: Buffer.from('content') }]);
    await uploadOf(page, 'slow.txt').getByText('0%').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Sites' }).click();
    const panel = page.getByRole('region', { name: `Uploads to ${bucket.name}` });
    await panel.getByText('0 of 1 file').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    held.resolve();
    await panel.getByText('1 of 1 file').waitFor();
    await panel.getByRole('link', { name: `Uploads to ${bucket.name}` }).click();
    await page.waitForURL(`**/${organizationId}/storage/${bucket.id}`);
    await rowOf(page, 'slow.txt').waitFor();
    await page.getByRole('button', { name: 'Clear finished' }).click();
    await panel.waitFor({ state: 'detached' });
  });

  it.each([
    ['with parts that are dots', 'a/../b/./c.txt'],
    ['of a thousand letters that addresses write as six', '"'.repeat(1_000)],
  ])('can be looked at, shared, downloaded and deleted under a key %s', async (_, key) => {
    const { page, maker, bucket, organizationId } = await visitBucket();
    const client = maker.client(await maker.createKeys([bucket.id]));
    const stored = { Bucket: bucket.name, Key: key, Body: 'content', ContentType: 'text/plain' };
    await client.send(new PutObjectCommand(stored));
    const search = new URLSearchParams({ object: JSON.stringify(key) });
    await page.goto(`/${organizationId}/storage/${bucket.id}?${search}`);
    const panel = page.getByRole('dialog');
    await panel.getByRole('region', { name: 'Preview' }).getByText('content').waitFor();
    await panel.getByRole('button', { name: 'Create link' }).click();
    const link = (await panel.getByRole('region', { name: 'Copy the link' }).innerText()).trim();
    const stranger = await journey().visit();
    expect(await (await stranger.page.goto(link))?.text()).toBe('content');
    const download = page.waitForEvent('download');
    await panel.getByRole('button', { name: 'Download' }).click();
    await (await download).cancel();
    await panel.getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('dialog', { name: /^Delete/ })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByText('1 object was deleted').waitFor();
  });
});
