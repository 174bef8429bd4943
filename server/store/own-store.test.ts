import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { watchSyncs } from '#tests/support/server/watch-syncs.ts';
import { createSite } from '../services/sites/create-site.ts';
import { claimStore, markRestoredStore, requireOwnStore } from './own-store.ts';

/** An installation with content in its folder, and what a start and a process say about that. */
async function prepare() {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'blog' });
  await deployTestFiles(context, site.id, { 'index.html': 'there' });
  const folder = join(app.config.dataDir, 'blobs');
  const mark = join(folder, 'portage-store');
  return {
    app,
    folder,
    mark,
    start: () => claimStore(app.config, app.db, app.clock.now()),
    runProcess: () => requireOwnStore(app.config, app.db),
    readMark: () => readFile(mark, 'utf8'),
    /** What a disk leaves that is no longer mounted; the program itself may have left folders there. */
    async unmount() {
      await rename(folder, `${folder}-unmounted`);
      await mkdir(join(folder, '0'), { recursive: true });
      await mkdir(join(folder, 'objects'));
    },
  };
}

it('an installation from before the marks goes on, and its folder is marked', async () => {
  const { start, runProcess, readMark } = await prepare();
  await runProcess();
  await start();
  expect(await readMark()).toMatch(/^[0-9A-Z]{26}\n$/i);
  await start();
  await runProcess();
});

it('the mark of a first start has survived a power cut before the database asks for it', async () => {
  const app = await createTestApp();
  const { survives, keepsName } = await watchSyncs();
  await claimStore(app.config, app.db, app.clock.now());
  const folder = join(app.config.dataDir, 'blobs');
  expect(await survives(join(folder, 'portage-store'))).toBe(true);
  expect(keepsName(folder)).toBe(true);
});

it('first starts at the same moment agree on one mark', async () => {
  for (let round = 0; round < 10; round += 1) {
    const app = await createTestApp();
    const start = () => claimStore(app.config, app.db, app.clock.now());
    await Promise.all([start(), start(), start()]);
    await start();
    await requireOwnStore(app.config, app.db);
  }
});

it('of first starts with two folders at the same moment, one is refused', async () => {
  const app = await createTestApp();
  const folders = ['one', 'two'].map((name) => join(app.config.dataDir, name));
  const starts = folders.map((folder) =>
    claimStore({ ...app.config, objectStoreUrl: `file:${folder}` }, app.db, app.clock.now()),
  );
  const results = await Promise.allSettled(starts);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

it('a start without the disk of the content says which folder it is, and creates nothing', async () => {
  const { start, runProcess, folder, mark, readMark, unmount } = await prepare();
  await start();
  await unmount();
  const sentence = `OBJECT_STORE_URL cannot be used: the content that the database names is not in ${folder}. Mount its disk;`;
  await expect(start()).rejects.toThrow(sentence);
  await expect(runProcess()).rejects.toThrow(sentence);
  await expect(readMark()).rejects.toThrow('ENOENT');
  // The content is lost, and others are to be stored.
  await writeFile(mark, '');
  await runProcess();
  await start();
  expect(await readMark()).not.toBe('');
  await runProcess();
});

it('the first start after the marks came in finds that the disk is missing as well', async () => {
  const { start, unmount } = await prepare();
  await unmount();
  await expect(start()).rejects.toThrow('the content that the database names is not in');
});

it('the folder of another installation is refused', async () => {
  const { start, mark, readMark } = await prepare();
  await start();
  await writeFile(mark, 'another\n');
  await expect(start()).rejects.toThrow('has the content of another installation');
  await writeFile(mark, '');
  await start();
  expect(await readMark()).not.toContain('another');
});

it('a restored installation starts with the folder that its content was restored into', async () => {
  const { app, start, readMark, unmount } = await prepare();
  await start();
  const before = await readMark();
  await unmount();
  await markRestoredStore(app.config, app.db);
  await start();
  expect(await readMark()).toBe(before);
});

it('a new installation may begin with an empty folder, or with one that was kept', async () => {
  const app = await createTestApp();
  await mkdir(join(app.config.dataDir, 'blobs'), { recursive: true });
  await writeFile(join(app.config.dataDir, 'blobs', 'portage-store'), 'kept\n');
  await claimStore(app.config, app.db, app.clock.now());
  await requireOwnStore(app.config, app.db);
  const fresh = await createTestApp();
  await claimStore(fresh.config, fresh.db, fresh.clock.now());
  await requireOwnStore(fresh.config, fresh.db);
});

it('a machine that is only a name server starts without the folder', async () => {
  const { app, start, unmount } = await prepare();
  await start();
  await unmount();
  const config = { ...app.config, roles: new Set(['dns'] as const) };
  await claimStore(config, app.db, app.clock.now());
  await requireOwnStore(config, app.db);
});
