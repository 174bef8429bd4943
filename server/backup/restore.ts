import { copyFile, lstat, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Registry } from 'prom-client';
import { openDatabase } from '#db/client.ts';
import { listTables, loadPostgres } from '#db/dialects/postgres-dump.ts';
import { makeFolders } from '#db/make-folders.ts';
import { hasMigration, migrateDatabase, migrateTo } from '#db/migrate.ts';
import { syncFolder } from '#db/sync-folder.ts';
import { clockOf } from '#server/clock.ts';
import { type Config, ConfigError } from '#server/config/config.ts';
import { isNodeError } from '#server/errors.ts';
import { withFileLock } from '#server/file-lock.ts';
import type { Logger } from '#server/logging/logger.ts';
import { createOutgoing } from '#server/outgoing/outgoing.ts';
import { findMasterKey } from '#server/secrets/master-key.ts';
import { createSealer } from '#server/secrets/sealer.ts';
import { noteLostFiles } from '#server/services/deployments/blobs/lost-files.ts';
import { pidFileOf } from '#server/start/start-plan.ts';
import { hashOfBlobName } from '#server/store/blob-store.ts';
import { openDirectoryStore } from '#server/store/directory/directory-store.ts';
import { openBlobStore } from '#server/store/open-blob-store.ts';
import { markRestoredStore } from '#server/store/own-store.ts';
import { isDataDirTaken } from '#server/supervisor/data-dir-lock.ts';
import { findSupervisor } from '#server/supervisor/pid-file.ts';
import { CONTENT } from './back-up.ts';
import { type ContentFigures, copyContent } from './copy-content.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { countRows, hashFile, sqlitePathOf } from './snapshot-database.ts';

/** What was restored. */
export interface RestoreReport {
  manifest: Manifest;
  content: ContentFigures;
}

/**
 * Restores a backup into an installation that has no database yet: first the content, then the database,
 * whose rows are counted. When interrupted, start it again; what was copied is not copied again. A second
 * restore waits for the first to finish.
 * @throws ConfigError naming the obstacle
 */
export async function restore(config: Config, logger: Logger, folder: string): Promise<RestoreReport> {
  const manifest = await readManifest(folder);
  requireFit(config, manifest);
  requireKey(config, manifest);
  makeFolders(config.dataDir);
  return withFileLock(join(config.dataDir, 'restore.lock'), () =>
    restoreManifest(config, logger, folder, manifest),
  );
}

async function restoreManifest(
  config: Config,
  logger: Logger,
  folder: string,
  manifest: Manifest,
): Promise<RestoreReport> {
  await requireVacant(config);
  await requireWholeDatabase(folder, manifest);
  const clock = clockOf(config);
  const outgoing = createOutgoing({ metrics: new Registry(), logger, clock });
  const [from, to] = [await openDirectoryStore(join(folder, CONTENT)), await openBlobStore(config, outgoing)];
  const content = await withLoaded(folder, manifest, config, async (db) => {
    const figures = await copyContent(db, from, to);
    await markRestoredStore(config, db);
    return figures;
  });
  await noteMissing(config, content.missing, clock.now());
  return { manifest, content };
}

/** Content of sites is asked for at the next deploy of it; lost objects are listed once the server reads its buckets. */
async function noteMissing({ databaseUrl }: Config, missing: readonly string[], now: number): Promise<void> {
  const hashes = missing.filter((name) => hashOfBlobName(name) !== null);
  if (hashes.length === 0) return;
  const db = openDatabase(databaseUrl);
  try {
    await noteLostFiles(db, hashes, now);
  } finally {
    await db.destroy();
  }
}

type Reader = Parameters<typeof copyContent>[0];

/** For SQLite the database comes last, because its file is what marks the installation as existing. */
async function withLoaded<T>(
  folder: string,
  manifest: Manifest,
  config: Config,
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
  const { databaseUrl } = config;
  const path = sqlitePathOf(databaseUrl);
  const source = join(folder, manifest.database.file);
  if (path === null) {
    await loadDump(databaseUrl, source, manifest);
    const result = await inDatabase(databaseUrl, work);
    await migrateDatabase(databaseUrl);
    return result;
  }
  makeFolders(dirname(path));
  const temporary = `${path}.restored`;
  await copyFile(source, temporary);
  const file = await open(temporary, 'r+');
  await file.chmod(0o600);
  await file.sync();
  await file.close();
  const result = await inDatabase(`sqlite:${temporary}`, async (db) => {
    await requireRows(db, manifest);
    return work(db);
  });
  // Copying content may take hours: meanwhile a server may have been started, and created a database of its own.
  await requireVacant(config);
  await rename(temporary, path);
  await syncFolder(dirname(path));
  await migrateDatabase(databaseUrl);
  return result;
}

/** Loads a dump into an empty database of a server. */
export async function loadDump(databaseUrl: string, path: string, manifest: Manifest): Promise<void> {
  const db = openDatabase(databaseUrl, { isPatient: true });
  try {
    await migrateTo(db, manifest.database.migration);
    await loadPostgres(db, path);
    await requireRows(db, manifest);
  } finally {
    await db.destroy();
  }
}

async function inDatabase<T>(url: string, work: (reader: Reader) => Promise<T>): Promise<T> {
  const db = openDatabase(url, { isReadOnly: url.startsWith('sqlite:') });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** @throws Error when the number of rows in a table differs from the backup */
export async function requireRows(reader: Reader, { database }: Manifest): Promise<void> {
  const rows = await countRows(reader);
  const wrong = Object.keys(database.rows).filter((table) => rows[table] !== database.rows[table]);
  if (wrong.length > 0) throw new Error(`rows are missing after the restore: ${wrong.join(', ')}`);
}

/** @throws ConfigError when this program or its settings cannot use the backup */
export function requireFit({ databaseUrl }: Config, { database }: Manifest): void {
  const engine = sqlitePathOf(databaseUrl) === null ? 'postgres' : 'sqlite';
  if (engine !== database.engine) {
    const wanted = database.engine === 'sqlite' ? 'an embedded database' : 'a PostgreSQL database';
    throw new ConfigError(`DATABASE_URL does not match: the backup is of ${wanted}.`);
  }
  if (!hasMigration(database.migration)) {
    throw new ConfigError('The backup is from a newer version of this program. Install that version first.');
  }
}

/** @throws ConfigError without the key that opens the secrets of the backup */
function requireKey(config: Config, { key_id }: Manifest): void {
  const key = findMasterKey(config);
  if (key === null) {
    throw new ConfigError(
      'MASTER_KEY is missing: the backup does not contain it. Set it, or put the file master.key into DATA_DIR.',
    );
  }
  if (createSealer(key).keyId !== key_id) {
    throw new ConfigError("MASTER_KEY cannot be used: it does not open the backup's secrets.");
  }
}

/** @throws ConfigError when there is a database, or a server that would create one */
async function requireVacant(config: Config): Promise<void> {
  if (isDataDirTaken(config.dataDir) || findSupervisor(pidFileOf(config)) !== null)
    throw new ConfigError('DATA_DIR is in use: stop the server first.');
  const path = sqlitePathOf(config.databaseUrl);
  if (path === null) await requireNoTables(config);
  else await requireNoFiles(path);
}

async function requireNoFiles(path: string): Promise<void> {
  if (await exists(path)) {
    throw new ConfigError(
      `DATA_DIR already contains a database: ${path}. Restore into an empty installation.`,
    );
  }
  // SQLite would write what is in the log of another database into the restored one.
  for (const log of [`${path}-wal`, `${path}-journal`]) {
    if (!(await exists(log))) continue;
    throw new ConfigError(
      `DATA_DIR contains the log of a database that is not there: ${log}. Move it to where its database is.`,
    );
  }
}

/** Whether there is something, also a link to a disk that is not mounted. */
async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isNodeError(error) && error.code === 'ENOENT') return false;
    throw error;
  }
}

async function requireNoTables({ databaseUrl }: Config): Promise<void> {
  const db = openDatabase(databaseUrl);
  try {
    if ((await listTables(db)).length === 0) return;
  } finally {
    await db.destroy();
  }
  throw new ConfigError(
    'DATABASE_URL names a database that already contains tables. Restore into an empty one.',
  );
}

/** @throws ConfigError when the file is not the one that was written */
export async function requireWholeDatabase(folder: string, { database }: Manifest): Promise<void> {
  const actual = await hashFile(join(folder, database.file)).catch(() => null);
  if (actual === null) throw new ConfigError(`The backup is incomplete: ${database.file} cannot be read.`);
  if (actual !== database.sha256)
    throw new ConfigError(`The backup is damaged: ${database.file} has been altered.`);
}
