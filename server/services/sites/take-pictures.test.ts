import { describe, expect, it } from 'vitest';
import type { Camera } from '#server/browser/camera.ts';
import type { PageResponse, PicturedPage } from '#server/browser/take-picture.ts';
import { deployTestFiles, type TestFiles } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { rollbackSite } from '../deployments/rollback-site.ts';
import { createSite } from './create-site.ts';
import { deleteSite } from './delete-site.ts';
import { getSite } from './get-site.ts';
import { getSitePicture } from './get-site-picture.ts';
import { ICON_BYTES_MAX, PICTURE_PAUSE_MS } from './picture-rules.ts';
import { takePictures } from './take-pictures.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);

/** An app whose camera keeps what it is shown and returns what the front page says. */
async function prepare(take?: Camera['take'] | null) {
  const shown: PicturedPage[] = [];
  const look: Camera['take'] = async (page) => {
    shown.push(page);
    return (await page.answer('GET', '/'))?.body ?? Buffer.from('nothing');
  };
  const app = await createTestApp({ camera: take === null ? null : { take: take ?? look } });
  const person = await createTestPerson(app);
  const { context } = person;
  const newSite = async (name: string, files: TestFiles, owner = context) => {
    const site = await createSite(owner, { name });
    await deployTestFiles(owner, site.id, files);
    return site;
  };
  const pictureOf = async (siteId: string) => {
    const { picture } = await getSite(context, { site_id: siteId });
    return (
      picture && { ...picture, content: String((await getSitePicture(context, { site_id: siteId })).bytes) }
    );
  };
  return { app, context, person, shown, newSite, pictureOf };
}

const page = (text: string): TestFiles => ({ 'index.html': `<h1>${text}</h1>` });

describe('the picture of a site', () => {
  it('shows its front page after the first publish, at an address of its own', async () => {
    const { app, newSite, pictureOf, shown } = await prepare();
    const site = await newSite('Harbour', page('boats'));
    expect(await pictureOf(site.id)).toBeNull();
    expect(await takePictures({ app })).toEqual({ seen: 1 });
    const picture = await pictureOf(site.id);
    expect(picture).toMatchObject({ kind: 'page', content: '<h1>boats</h1>' });
    expect(picture?.url).toMatch(new RegExp(`^/api/v1/sites/${site.id}/picture\\?v=\\d+$`));
    expect(shown[0]?.origin).toBe('https://harbour.sites.localhost');
    expect(await takePictures({ app })).toEqual({ seen: 0 });
  });

  it('changes with the next publish and with a rollback, and its address with it', async () => {
    const { app, context, newSite, pictureOf } = await prepare();
    const site = await newSite('Harbour', page('one'));
    await takePictures({ app });
    const first = await pictureOf(site.id);
    const { current_version_id } = await getSite(context, { site_id: site.id });
    app.clock.advance(PICTURE_PAUSE_MS);
    await deployTestFiles(context, site.id, page('two'));
    await takePictures({ app });
    const second = await pictureOf(site.id);
    expect(second?.content).toBe('<h1>two</h1>');
    expect(second?.url).not.toBe(first?.url);
    app.clock.advance(PICTURE_PAUSE_MS);
    await rollbackSite(context, { site_id: site.id, version_id: current_version_id ?? '' });
    await takePictures({ app });
    expect((await pictureOf(site.id))?.content).toBe('<h1>one</h1>');
  });

  it('is made once for many deploys in a row, and of the last of them', async () => {
    const { app, context, newSite, pictureOf, shown } = await prepare();
    const site = await newSite('Harbour', page('0'));
    await takePictures({ app });
    for (const text of ['1', '2', '3']) {
      app.clock.advance(1_000);
      await deployTestFiles(context, site.id, page(text));
      await takePictures({ app });
    }
    expect(shown).toHaveLength(1);
    app.clock.advance(PICTURE_PAUSE_MS);
    await takePictures({ app });
    expect(shown).toHaveLength(2);
    expect((await pictureOf(site.id))?.content).toBe('<h1>3</h1>');
  });

  it('is made anew when the site was published while it was taken', async () => {
    const contents: string[] = [];
    const world = await prepare(async (front) => {
      contents.push(String((await front.answer('GET', '/'))?.body));
      if (contents.length === 1) {
        world.app.clock.advance(1);
        await deployTestFiles(world.context, site.id, page('new'));
      }
      return PNG;
    });
    const site = await world.newSite('Harbour', page('old'));
    await takePictures(world);
    world.app.clock.advance(PICTURE_PAUSE_MS);
    await takePictures(world);
    expect(contents).toEqual(['<h1>old</h1>', '<h1>new</h1>']);
  });

  it('of one organization does not wait for all of another', async () => {
    const { app, newSite, shown } = await prepare();
    const other = await createTestPerson(app);
    for (const name of ['a', 'b', 'c']) await newSite(name, page(name));
    await newSite('late', page('late'), other.context);
    await takePictures({ app });
    const names = shown.map(({ origin }) => new URL(origin).hostname.split('.')[0]);
    expect(names.indexOf('late')).toBeLessThanOrEqual(1);
    expect(names).toHaveLength(4);
  });

  it('is not made of a deleted site, and goes with it', async () => {
    const { app, context, newSite, shown } = await prepare();
    const site = await newSite('Harbour', page('one'));
    await deleteSite(context, { site_id: site.id });
    await takePictures({ app });
    expect(shown).toEqual([]);
    await app.db.deleteFrom('site_versions').execute();
    await app.db.deleteFrom('sites').execute();
    expect(await app.db.selectFrom('site_pictures').selectAll().execute()).toEqual([]);
  });
});

describe('the browser', () => {
  it('gets what visitors get: redirects, pages for what is missing, no files of rules', async () => {
    const { app, newSite, shown } = await prepare();
    await newSite('Harbour', {
      'index.html': 'home',
      'about.html': 'about',
      '404.html': 'lost',
      _redirects: '/old /about 301\n/away https://elsewhere.example/ 302\n',
    });
    await takePictures({ app });
    const responses: Record<string, [number | undefined, string]> = {};
    for (const target of ['/', '/about', '/old', '/away', '/nowhere', '/_redirects', '/../etc/passwd']) {
      const response: PageResponse | null | undefined = await shown[0]?.answer('GET', target);
      responses[target] = [response?.status, response?.headers.location ?? String(response?.body ?? '')];
    }
    expect(responses).toEqual({
      '/': [200, 'home'],
      '/about': [200, 'about'],
      '/old': [301, '/about'],
      '/away': [302, 'https://elsewhere.example/'],
      '/nowhere': [404, 'lost'],
      '/_redirects': [404, 'lost'],
      '/../etc/passwd': [undefined, ''],
    });
  });

  it('is not started for a site without a page to see', async () => {
    const { app, newSite, pictureOf, shown } = await prepare();
    const data = await newSite('Data', { 'data.json': '{}' });
    const away = await newSite('Away', {
      _redirects: '/ https://elsewhere.example/ 301!\n',
      'index.html': 'x',
    });
    await takePictures({ app });
    expect(shown).toEqual([]);
    expect([await pictureOf(data.id), await pictureOf(away.id)]).toEqual([null, null]);
  });

  it('that fails leaves the icon of the site in its place, and no work that is stuck', async () => {
    const { app, newSite, pictureOf } = await prepare(async () => {
      throw new Error('the page takes too much memory');
    });
    const site = await newSite('Harbour', { ...page('x'), 'favicon.png': PNG });
    await takePictures({ app });
    expect(await pictureOf(site.id)).toMatchObject({ kind: 'icon' });
    expect(await app.db.selectFrom('stuck_work').selectAll().execute()).toEqual([]);
    expect(await takePictures({ app })).toEqual({ seen: 0 });
  });

  it('that is cut off by a stop begins again after the next start', async () => {
    const stopping = new AbortController();
    const { app, newSite } = await prepare(async () => {
      stopping.abort();
      throw new Error('the picture took too long');
    });
    const site = await newSite('Harbour', page('x'));
    expect(await takePictures({ app }, stopping.signal)).toEqual({ seen: 0 });
    const kept = await app.db
      .selectFrom('site_pictures')
      .select('wanted_at')
      .where('site_id', '=', site.id)
      .executeTakeFirstOrThrow();
    expect(kept.wanted_at).not.toBeNull();
  });
});

describe('the icon of a site', () => {
  it('is taken where there is no browser, the best one first', async () => {
    const { app, newSite, pictureOf } = await prepare(null);
    const better = Buffer.concat([PNG, Buffer.from('better')]);
    const site = await newSite('Harbour', {
      ...page('x'),
      'favicon.ico': Buffer.from([0, 0, 1, 0]),
      'apple-touch-icon.png': better,
    });
    await takePictures({ app });
    expect(await pictureOf(site.id)).toMatchObject({ kind: 'icon', content: String(better) });
  });

  it('is never a drawing or a page under the name of a picture, nor a large file', async () => {
    const { app, newSite, pictureOf } = await prepare(null);
    const site = await newSite('Harbour', {
      ...page('x'),
      'favicon.png': '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
      'favicon.ico': '<!doctype html><script>alert(1)</script>',
      'apple-touch-icon.png': Buffer.concat([PNG, Buffer.alloc(ICON_BYTES_MAX)]),
    });
    await takePictures({ app });
    expect(await pictureOf(site.id)).toBeNull();
  });
});
