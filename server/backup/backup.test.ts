import { statSync, writeFileSync } from 'node:fs';
import { copyFile, readdir, readFile, readlink, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Db, openDatabase } from '#db/client.ts';
import { type Config, loadConfig } from '#server/config/config.ts';
import { createLogger } from '#server/logging/logger.ts';
import { announceBlobs } from '#server/services/deployments/blobs/register-blobs.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { holdDataDir } from '#server/start/hold-data-dir.ts';
import { deployTestFiles, sha256Of } from '#tests/support/app/deploy.ts';
import type { TestApp } from '#tests/support/app/test-app.ts';
import { createTestDatabase } from '#tests/support/app/test-database.ts';
import { engine } from '#tests/support/runner/engine.ts';
import { ANY_OBJECT, withBucket } from '#tests/support/storage/buckets.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';
import { backUp, CONTENT } from './back-up.ts';
import { checkBackup } from './check-backup.ts';
import { restore } from './restore.ts';
import { countRows, sqlitePathOf } from './snapshot-database.ts';

const logger = createLogger('silent');

/** An installation with a site, a bucket and an object in it, and a folder for its backups. */
async function prepare() {
  const world = await withBucket('cellar', { MASTER_KEY: Buffer.alloc(32, 7).toString('base64') });
  const { app, context } = world;
  const site = await createSite(context, { name: 'Rivers' });
  await deployTestFiles(context, site.id, { 'index.html': 'first', 'empty.txt': '' });
  await world.put('a/b', 'object');
  await world.putSmall('small', 'lies in the database');
  const folder = await makeTemporaryFolder({});
  return { ...world, site, folder, back: () => backUp(app, folder) };
}

/** The settings of an installation that does not exist yet. */
async function emptyInstallation({ config }: TestApp, changes: Record<string, string> = {}): Promise<Config> {
  const { url, drop } = await createTestDatabase('empty');
  onTestFinished(drop);
  return loadConfig({
    DATA_DIR: await makeTemporaryFolder({}),
    DATABASE_URL: url,
    MASTER_KEY: config.masterKey ?? '',
    BILLING_MODE: 'off',
    LOG_LEVEL: 'silent',
    ...changes,
  });
}

const contentOf = (folder: string, text: string, place = CONTENT) => {
  const name = sha256Of(text);
  return join(folder, place, name.slice(0, 1), name);
};

describe('a backup', () => {
  it('contains the database and all content, and restores into an empty installation', async () => {
    const { app, folder, back } = await prepare();
    const report = await back();
    expect(report).toMatchObject({
      database: { engine, migration: expect.stringMatching(/^\d{4}-/) },
      content: { blobs: 2, pieces: 1, missing: 0 },
      missing: [],
    });
    const config = await emptyInstallation(app);
    const { content } = await restore(config, logger, folder);
    expect(content).toMatchObject({ blobs: 2, pieces: 1, missing: [] });
    const restored = openDatabase(config.databaseUrl);
    onTestFinished(() => restored.destroy());
    expect(await countRows(restored)).toEqual(report.database.rows);
    const sites = await restored.selectFrom('sites').selectAll().execute();
    expect(sites).toEqual(await app.db.selectFrom('sites').selectAll().execute());
    expect(await restored.selectFrom('objects').selectAll().execute()).toEqual(
      await app.db.selectFrom('objects').selectAll().execute(),
    );
    const small = (db: Db) =>
      db.selectFrom('object_pieces').selectAll().where('content', 'is not', null).execute();
    expect(await small(restored)).toMatchObject([{ content: Buffer.from('lies in the database') }]);
    expect(await small(restored)).toEqual(await small(app.db));
    const first = sha256Of('first');
    const stored = join(config.dataDir, 'blobs', first.slice(0, 1), first);
    expect(await readFile(stored, 'utf8')).toBe('first');
  });

  it('continues the numbering of rows, so that no number is used twice', async () => {
    const { app, folder, back, context } = await prepare();
    const series = { organization_id: context.organization.id, endpoint_id: '', site_id: 'site', key: 'one' };
    const before = await app.db
      .insertInto('usage_series')
      .values(series)
      .returning('id')
      .executeTakeFirstOrThrow();
    await back();
    const config = await emptyInstallation(app);
    await restore(config, logger, folder);
    const restored = openDatabase(config.databaseUrl);
    onTestFinished(() => restored.destroy());
    const after = await restored
      .insertInto('usage_series')
      .values({ ...series, key: 'two' })
      .returning('id')
      .executeTakeFirstOrThrow();
    expect(after.id).toBeGreaterThan(before.id);
  });

  it('adds what is new to the previous one, and drops what is no longer referenced', async () => {
    const { app, context, site, folder, put, ports, bucket, back } = await prepare();
    await back();
    await deployTestFiles(context, site.id, { 'index.html': 'second' });
    await put('c', 'another object');
    await ports.deleteObject(bucket, 'a/b', ANY_OBJECT);
    app.clock.advance(60_000);
    const report = await back();
    expect(report).toMatchObject({ content: { blobs: 3, pieces: 1, missing: 0 }, removed: 1 });
    expect(await readFile(contentOf(folder, 'second'), 'utf8')).toBe('second');
    const files = (await readdir(folder)).filter((name) => name.startsWith('database-'));
    expect(files).toEqual([report.database.file]);
    expect(await checkBackup(await emptyInstallation(app), folder)).toMatchObject({
      checked: 4,
      missing: [],
      damaged: [],
    });
  });

  it('that was interrupted leaves the previous one complete', async () => {
    const { app, folder, back } = await prepare();
    const first = await back();
    const half = `database-2026-03-01T13-00-00-000Z-abcdef.${engine === 'sqlite' ? 'sqlite' : 'jsonl.gz'}`;
    await writeFile(join(folder, half), 'half');
    expect((await checkBackup(await emptyInstallation(app), folder)).manifest).toEqual(
      expect.objectContaining({ created_at: first.created_at }),
    );
    await back();
    expect(await readdir(folder)).not.toContain(half);
  });

  it('writes a piece again of which a power cut has left only a part', async () => {
    const { app, folder, back } = await prepare();
    await back();
    const pieces = join(folder, CONTENT, 'objects');
    const [piece] = (await readdir(pieces, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    );
    await truncate(join(piece?.parentPath ?? '', piece?.name ?? ''), 3);
    expect(await back()).toMatchObject({ missing: [] });
    expect(await checkBackup(await emptyInstallation(app), folder)).toMatchObject({
      missing: [],
      damaged: [],
    });
  });

  it('removes nothing of other programs from its folder', async () => {
    const { folder, back } = await prepare();
    const theirs = ['database-nightly.sql.gz', 'database-2026.sqlite'];
    for (const name of theirs) await writeFile(join(folder, name), 'theirs');
    await back();
    expect(await readdir(folder)).toEqual(expect.arrayContaining(theirs));
  });

  it('waits for another one to the same folder', async () => {
    const { app, folder, back } = await prepare();
    const reports = await Promise.all([back(), back()]);
    const { manifest, ...found } = await checkBackup(await emptyInstallation(app), folder);
    expect(found).toMatchObject({ checked: 3, missing: [], damaged: [] });
    expect(reports.map(({ database }) => database.file)).toContain(manifest.database.file);
    expect((await readdir(folder)).sort()).toEqual(['backup.json', CONTENT, manifest.database.file]);
  });

  it('misses no content that an upload has announced and not sent yet', async () => {
    const { app, context, folder, back } = await prepare();
    const announced = { sha256: sha256Of('later'), size: 5 };
    expect(await announceBlobs(app, context.organization.id, [announced])).toEqual([announced.sha256]);
    expect(await back()).toMatchObject({ missing: [], content: { missing: 0 } });
    const config = await emptyInstallation(app);
    expect(await checkBackup(config, folder)).toMatchObject({ missing: [], damaged: [] });
    expect((await restore(config, logger, folder)).content.missing).toEqual([]);
  });

  it('reports what the store has lost', async () => {
    const { app, folder, back } = await prepare();
    await app.blobs.remove(sha256Of('first'));
    expect(await back()).toMatchObject({ missing: [sha256Of('first')], content: { missing: 1 } });
    const config = await emptyInstallation(app);
    expect((await restore(config, logger, folder)).content.missing).toEqual([sha256Of('first')]);
  });
});

describe('damaged content', () => {
  it('is left out of a backup, which contains everything else', async () => {
    const { app, folder, back } = await prepare();
    await writeFile(contentOf(app.config.dataDir, 'first', 'blobs'), 'fIrst');
    const report = await back();
    expect(report.missing).toEqual([sha256Of('first')]);
    const config = await emptyInstallation(app);
    expect(await checkBackup(config, folder)).toMatchObject({ missing: [sha256Of('first')], damaged: [] });
  });

  it('does not prevent a restore, after which the next deploy is asked for it', async () => {
    const { app, folder, back } = await prepare();
    await back();
    await writeFile(contentOf(folder, 'first'), 'fIrst');
    const config = await emptyInstallation(app);
    const { content } = await restore(config, logger, folder);
    expect(content.missing).toEqual([sha256Of('first')]);
    const db = openDatabase(config.databaseUrl);
    const listed = await db.selectFrom('stuck_work').select(['job', 'item']).execute();
    await db.destroy();
    expect(listed).toEqual([{ job: 'scrub-files', item: sha256Of('first') }]);
  });
});

describe('a rehearsal', () => {
  it('finds content that is missing or altered, and changes nothing', async () => {
    const { app, folder, back } = await prepare();
    await back();
    const config = await emptyInstallation(app);
    expect(await checkBackup(config, folder)).toMatchObject({
      checked: 3,
      missing: [],
      damaged: [],
      database: [],
    });
    await writeFile(contentOf(folder, 'first'), 'fIrst');
    await rm(contentOf(folder, ''));
    expect(await checkBackup(config, folder)).toMatchObject({
      missing: [sha256Of('')],
      damaged: [sha256Of('first')],
    });
    expect(await readdir(config.dataDir)).toEqual([]);
  });

  it('refuses an altered database', async () => {
    const { app, folder, back } = await prepare();
    const { database } = await back();
    await writeFile(join(folder, database.file), 'x', { flag: 'a' });
    const config = await emptyInstallation(app);
    await expect(checkBackup(config, folder)).rejects.toThrow(/^The backup is damaged/);
    await expect(restore(config, logger, folder)).rejects.toThrow(/^The backup is damaged/);
  });
});

describe('a restore', () => {
  it('waits for another one to the same installation, which then has a database', async () => {
    const { app, folder, back } = await prepare();
    const { database } = await back();
    const config = await emptyInstallation(app);
    const both = await Promise.allSettled([1, 2].map(() => restore(config, logger, folder)));
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { message: expect.stringContaining('already contains') },
    });
    const restored = openDatabase(config.databaseUrl);
    onTestFinished(() => restored.destroy());
    expect(await countRows(restored)).toEqual(database.rows);
    expect(await readdir(config.dataDir)).not.toContain('restore.lock');
  });

  it.skipIf(engine === 'postgres')(
    'leaves alone a database that a server has created while it copied',
    async () => {
      const { app, folder, back } = await prepare();
      await back();
      const config = await emptyInstallation(app);
      const path = sqlitePathOf(config.databaseUrl) ?? '';
      const work = restore(config, logger, folder);
      work.catch(() => undefined);
      await vi.waitFor(
        () => {
          statSync(`${path}.restored`);
          writeFileSync(path, 'of the server');
        },
        { interval: 1 },
      );
      await expect(work).rejects.toThrow(/^DATA_DIR already contains a database/);
      expect(await readFile(path, 'utf8')).toBe('of the server');
    },
  );
});

describe('a restore is refused', () => {
  it.skipIf(engine === 'postgres').each(['-wal', '-journal'])(
    'beside the log (%s) of a database that was moved away, which would be written into the restored one',
    async (suffix) => {
      const { app, folder, back } = await prepare();
      await back();
      const config = await emptyInstallation(app);
      const path = sqlitePathOf(config.databaseUrl) ?? '';
      await copyFile(`${sqlitePathOf(app.config.databaseUrl)}-wal`, `${path}${suffix}`);
      await expect(restore(config, logger, folder)).rejects.toThrow(/contains the log of a database/);
      await rm(`${path}${suffix}`);
      await restore(config, logger, folder);
    },
  );

  it.skipIf(engine === 'postgres')('in place of a link to a database that cannot be reached', async () => {
    const { app, folder, back } = await prepare();
    await back();
    const config = await emptyInstallation(app);
    const path = sqlitePathOf(config.databaseUrl) ?? '';
    await symlink('/not-mounted/portage.sqlite', path);
    await expect(restore(config, logger, folder)).rejects.toThrow(/^DATA_DIR already contains a database/);
    expect(await readlink(path)).toBe('/not-mounted/portage.sqlite');
  });

  it('into an existing installation, of which nothing is lost', async () => {
    const { app, folder, back } = await prepare();
    await back();
    await expect(restore(app.config, logger, folder)).rejects.toThrow(/already/);
    expect(await app.db.selectFrom('sites').selectAll().execute()).toHaveLength(1);
  });

  it('while a program runs with its folder, which may not have created its database yet', async () => {
    const { app, folder, back } = await prepare();
    await back();
    const config = await emptyInstallation(app);
    await holdDataDir(config.dataDir);
    await expect(restore(config, logger, folder)).rejects.toThrow(
      'DATA_DIR is in use: stop the server first.',
    );
  });

  it('without the key, or with another one', async () => {
    const { app, folder, back } = await prepare();
    await back();
    const without = await emptyInstallation(app, { MASTER_KEY: '' });
    await expect(restore(without, logger, folder)).rejects.toThrow(/^MASTER_KEY is missing/);
    const other = await emptyInstallation(app, { MASTER_KEY: Buffer.alloc(32, 8).toString('base64') });
    await expect(restore(other, logger, folder)).rejects.toThrow(/^MASTER_KEY cannot be used/);
  });

  it('from a folder without a complete backup, one of another engine and one of a newer program', async () => {
    const { app, folder, back } = await prepare();
    const config = await emptyInstallation(app);
    await expect(restore(config, logger, folder)).rejects.toThrow(/contains no complete backup/);
    const { missing: _, removed: _r, folder: _f, ...manifest } = await back();
    const write = (database: object) =>
      writeFile(
        join(folder, 'backup.json'),
        JSON.stringify({ ...manifest, database: { ...manifest.database, ...database } }),
      );
    await write({ engine: engine === 'sqlite' ? 'postgres' : 'sqlite' });
    await expect(restore(config, logger, folder)).rejects.toThrow(/^DATABASE_URL does not match/);
    await write({ migration: '9999-from-the-future' });
    await expect(restore(config, logger, folder)).rejects.toThrow(/newer version/);
    await writeFile(join(folder, 'backup.json'), '{');
    await expect(restore(config, logger, folder)).rejects.toThrow(/is damaged/);
  });
});
