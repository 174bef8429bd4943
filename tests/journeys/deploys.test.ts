import { randomBytes } from 'node:crypto';
import type { Page, Route } from 'playwright';
import { describe, expect, it } from 'vitest';
import { arrive, type SignedInVisitor, startJourney } from '#tests/support/browser/journey.ts';
import { objectOf } from '#tests/support/client/rest-client.ts';
import { packZip } from '#tests/support/pack-zip.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';

const journey = startJourney();
const PARTS = '**/api/trpc/deployments.addFiles*';
/** The server's response to a part while it processes others of the organization. */
const BUSY = {
  message: 'busy',
  code: -32029,
  data: {
    code: 'TOO_MANY_REQUESTS',
    httpStatus: 429,
    error: {
      code: 'organization_busy',
      message: 'busy',
      params: { seconds: 1 },
      fields: [],
      request_id: null,
    },
  },
};
const UPLOADS = '**/api/v1/sites/*/versions/*/blobs*';

/** Signs in a person on the page of a new site. */
async function visitNewSite(name: string): Promise<SignedInVisitor & { host: string }> {
  const visitor = await journey().visitSignedIn();
  const response = await visitor.api('POST', '/api/v1/sites', { json: { name } });
  const site = objectOf(response);
  await arrive(visitor.page, `/${visitor.organizationId}/sites/${site.id}`);
  return { ...visitor, host: new URL(String(site.subdomain_url)).hostname };
}

const pickFolder = (page: Page, folder: string) =>
  page.getByLabel('Folder', { exact: true }).setInputFiles(folder);

/** Waits for the end of a deploy and returns the page's summary. */
async function readResult(page: Page): Promise<string> {
  await page.getByRole('heading', { name: 'Live', exact: true }).waitFor();
  return page.getByRole('region', { name: 'Deploy files' }).innerText();
}

const version = (page: Page, number: number) => page.getByRole('listitem').filter({ hasText: `#${number}` });

async function expectServed(host: string, files: Record<string, string | Buffer>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const response = await journey().server.edge(host, path);
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    expect(response.body.equals(Buffer.from(content))).toBe(true);
  }
}

describe('the button Deploy', () => {
  it('deploys: the panel it opens takes a folder, and the page shows what becomes of it', async () => {
    const { page, host } = await visitNewSite('Panel');
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    const panel = page.getByRole('dialog', { name: 'Deploy' });
    await panel.getByRole('heading', { name: 'On every push, from your git host' }).waitFor();
    await panel.getByRole('heading', { name: 'By calling the deployment API directly' }).waitFor();
    await panel
      .getByLabel('Folder', { exact: true })
      .setInputFiles(await makeTemporaryFolder({ 'index.html': 'from the panel' }));
    await panel.waitFor({ state: 'hidden' });
    await readResult(page);
    await expectServed(host, { '/': 'from the panel' });
  });
});

describe('dropping a folder', () => {
  it('makes it live, shows what changed at the next deploy, and one click restores the old one', async () => {
    const { page, host } = await visitNewSite('Story');
    const first = {
      'index.html': '<!doctype html><link rel="stylesheet" href="/style.css"><h1>First</h1>',
      'style.css': 'h1 { color: teal }',
      'js/app.js': 'console.log("first")',
      'photo.bin': randomBytes(300_000),
    };
    const rules = '/old /new 301\n/broken\n';
    await page.getByRole('heading', { name: 'Drop a folder here to deploy' }).waitFor();
    await page.getByText('Nothing has been deployed yet.', { exact: false }).waitFor();

    const held = Promise.withResolvers<void>();
    await page.route(UPLOADS, async (route: Route) => {
      await held.promise;
      await route.continue();
    });
    await pickFolder(page, await makeTemporaryFolder({ ...first, _redirects: rules }));
    await page.getByRole('progressbar', { name: 'Uploading' }).waitFor({ state: 'attached' });
    await page.getByText(/Uploading \d of 5 files · .* of 29\d(\.\d+)?\sKB/).waitFor();
    expect((await journey().server.edge(host, '/')).status).toBe(404);
    held.resolve();

    const report = await readResult(page);
    expect(report).toContain('5 added');
    expect(report).toContain('1 rule was left out');
    expect(report).toMatch(/_redirects, line 2\s+A redirect needs two parts/);
    await page.unroute(UPLOADS);
    await expectServed(host, {
      '/': first['index.html'],
      '/style.css': first['style.css'],
      '/js/app.js': first['js/app.js'],
      '/photo.bin': first['photo.bin'],
    });
    expect((await journey().server.edge(host, '/old')).headers.location).toBe('/new');
    await version(page, 1).getByText('current').waitFor();
    expect(await page.getByRole('button', { name: /^Roll back/ }).count()).toBe(0);

    const second = '<!doctype html><h1>Second</h1>';
    const { 'style.css': _, ...kept } = first;
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await pickFolder(
      page,
      await makeTemporaryFolder({ ...kept, 'index.html': second, 'about.html': 'About', _redirects: rules }),
    );
    const changes = await readResult(page);
    expect(changes).toContain('1 added');
    expect(changes).toContain('1 changed');
    expect(changes).toContain('1 removed');
    expect(changes).toContain('3 unchanged');
    const listed = await page
      .getByRole('region', { name: 'Changed files' })
      .getByRole('listitem')
      .allInnerTexts();
    const changed = listed.map((line) => line.replace(/\s+/g, ' ').split(' ').slice(1, 3).join(' '));
    expect(changed.sort()).toEqual(['added about.html', 'changed index.html', 'removed style.css']);
    await expectServed(host, { '/': second, '/about': 'About' });
    expect((await journey().server.edge(host, '/style.css')).status).toBe(404);

    await page.getByRole('button', { name: 'Roll back to version 1' }).click();
    const question = page.getByRole('dialog', { name: 'Roll back Story to version 1?' });
    await question.getByText('1 newer version will be reverted and cannot be restored.').waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    await expectServed(host, { '/': second });
    await page.getByRole('button', { name: 'Roll back to version 1' }).click();
    await question.getByRole('button', { name: 'Roll back' }).click();
    await page.getByText('Version 1 is live').waitFor();
    await page.getByRole('heading', { name: 'Live', exact: true }).waitFor({ state: 'hidden' });
    await expectServed(host, { '/': first['index.html'], '/style.css': first['style.css'] });

    await version(page, 1).getByText('current').waitFor();
    await version(page, 2).getByText('reverted').waitFor();
    expect(await page.getByRole('button', { name: /^Roll back/ }).count()).toBe(0);
    await arrive(page, page.url());
    await version(page, 1).getByText('current').waitFor();
    await version(page, 2).getByText('reverted').waitFor();
    await page.getByRole('button', { name: 'What changed in version 2' }).click();
    await version(page, 2).getByText('1 removed').waitFor();
  });

  it('publishes a preview that is newer than the live version, which reverts nothing', async () => {
    const { page, host } = await visitNewSite('Staged');
    await pickFolder(page, await makeTemporaryFolder({ 'index.html': 'first' }));
    await readResult(page);
    await page.route('**/api/trpc/deployments.seal*', (route) =>
      route.continue({
        postData: String(route.request().postData()).replace('{"json":{', '{"json":{"publish":false,'),
      }),
    );
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await pickFolder(page, await makeTemporaryFolder({ 'index.html': 'second' }));
    await readResult(page);
    await page.unroute('**/api/trpc/deployments.seal*');
    await expectServed(host, { '/': 'first' });
    expect(await page.getByRole('button', { name: /^Roll back/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Publish version 2' }).click();
    const question = page.getByRole('dialog', { name: 'Publish version 2 of Staged?' });
    await question.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Version 2 is live', { exact: true }).waitFor();
    await expectServed(host, { '/': 'second' });
    await page.getByRole('button', { name: 'Roll back to version 1' }).waitFor();
    expect(await page.getByText('reverted', { exact: true }).count()).toBe(0);
  });

  it('continues automatically when the network fails once, and once the server is back after a longer failure', async () => {
    const { page, host } = await visitNewSite('Stubborn');
    let failures = 0;
    await page.route(UPLOADS, async (route: Route) => {
      failures += 1;
      return failures === 1 ? route.abort() : route.continue();
    });
    await pickFolder(page, await makeTemporaryFolder({ 'index.html': 'one', 'a.txt': 'a' }));
    expect(await readResult(page)).toContain('2 added');
    expect(failures).toBe(2);
    await page.unroute(UPLOADS);

    let isDown = true;
    await page.route(UPLOADS, (route: Route) => (isDown ? route.abort() : route.continue()));
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await pickFolder(page, await makeTemporaryFolder({ 'index.html': 'two', 'a.txt': 'a' }));
    const failure = page.getByRole('alert');
    await failure.getByText('The server could not be reached').waitFor();
    await failure.getByText('Your selection is kept', { exact: false }).waitFor();
    await failure.getByText('The server cannot be reached.', { exact: false }).waitFor();
    await expectServed(host, { '/': 'one' });
    isDown = false;
    expect(await readResult(page)).toContain('1 changed');
    await expectServed(host, { '/': 'two' });
  });

  it('of thousands of files is sent in parts, each of which waits while the server is busy', async () => {
    const { page, host } = await visitNewSite('Many');
    const files = Object.fromEntries(
      Array.from({ length: 2000 }, (_, index) => [`folder-${index % 5}/${index}.txt`, 'same']),
    );
    let parts = 0;
    await page.route(PARTS, async (route: Route) => {
      parts += 1;
      if (parts === 2) await route.fulfill({ status: 429, json: [{ error: { json: BUSY } }] });
      else await route.continue();
    });
    await pickFolder(page, await makeTemporaryFolder({ ...files, 'index.html': 'many' }));
    expect(await readResult(page)).toContain('2,001 added');
    expect(parts).toBe(3);
    await expectServed(host, { '/': 'many', '/folder-4/1999.txt': 'same' });
  });

  it('asks before the page is left and the upload lost', async () => {
    const { page, host } = await visitNewSite('Careful');
    const held = Promise.withResolvers<void>();
    await page.route(UPLOADS, async (route: Route) => {
      await held.promise;
      await route.continue();
    });
    await pickFolder(page, await makeTemporaryFolder({ 'index.html': 'careful' }));
    await page.getByRole('progressbar', { name: 'Uploading' }).waitFor({ state: 'attached' });
    await page.getByRole('link', { name: 'Credentials', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'A deploy is under way' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    held.resolve();
    await readResult(page);
    await expectServed(host, { '/': 'careful' });
  });

  it('without any file, or without an index, says so', async () => {
    const { page } = await visitNewSite('Bare');
    await pickFolder(page, await makeTemporaryFolder({ 'node_modules/a/index.js': '1', '.git/config': '2' }));
    await page.getByRole('alert').getByText('There is nothing to deploy: the folder has no files.').waitFor();
    await pickFolder(page, await makeTemporaryFolder({ 'notes.txt': 'notes', '.DS_Store': 'x' }));
    const result = await readResult(page);
    expect(result).toContain('There is no index.html at the top of the folder');
    expect(result).toContain('1 file was left out');
  });
});

describe('choosing a .zip', () => {
  it('makes its content live', async () => {
    const { page, host } = await visitNewSite('Zipped');
    const buffer = packZip({ 'index.html': '<h1>From a zip</h1>', 'deep/data.json': '{"ok":true}' });
    const archive = { name: 'site.zip', mimeType: 'application/zip', buffer };
    await page.getByLabel('Zip file').setInputFiles(archive);
    expect(await readResult(page)).toContain('2 added');
    await expectServed(host, { '/': '<h1>From a zip</h1>', '/deep/data.json': '{"ok":true}' });
    await version(page, 1).getByText('2 files').waitFor();
  });

  it('that is not an archive is reported and leaves the live site unchanged', async () => {
    const { page, host } = await visitNewSite('Sturdy');
    const send = (buffer: Buffer) =>
      page.getByLabel('Zip file').setInputFiles({ name: 'site.zip', mimeType: 'application/zip', buffer });
    await send(packZip({ 'index.html': 'sturdy' }));
    await readResult(page);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await send(Buffer.from('this is no archive'));
    await page
      .getByRole('alert')
      .getByText(/The archive cannot be read/)
      .waitFor();
    await page.getByRole('alert').getByText('The live site is untouched.', { exact: false }).waitFor();
    await expectServed(host, { '/': 'sturdy' });
  });
});
