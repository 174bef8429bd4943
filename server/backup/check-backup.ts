import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sql } from 'kysely';
import { type Executor, openDatabase } from '#db/client.ts';
import { findSqliteDamage } from '#db/dialects/sqlite-snapshot.ts';
import { migrateDatabase } from '#db/migrate.ts';
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts';
import type { Config } from '#server/config/config.ts';
import { newId } from '#server/ids.ts';
import type { BlobHandle, BlobStore } from '#server/store/blob-store.ts';
import { openDirectoryStore } from '#server/store/directory/directory-store.ts';
import { CONTENT } from './back-up.ts';
import { blobRows, type ContentRow, pieceRows, streamOf } from './copy-content.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { loadDump, requireFit, requireRows, requireWholeDatabase } from './restore.ts';
import { sqlitePathOf } from './snapshot-database.ts';

const FILES_AT_ONCE = 4;

/** What a rehearsal found. */
export interface CheckReport {
  manifest: Manifest;
  /** Files of content that were read completely. */
  checked: number;
  /** Content that is missing. */
  missing: string[];
  /** Content that differs from what was stored. */
  damaged: string[];
  /** What is wrong with the database, in the database's own words. */
  database: string[];
}

/**
 * Rehearses a restore: loads the database into a temporary one, migrates it to the schema of this program,
 * compares its rows with those that were backed up, and reads all content, whose hashes must match.
 * @throws ConfigError when this program or its settings cannot use the backup
 */
export async function checkBackup(config: Config, folder: string): Promise<CheckReport> {
  const manifest = await readManifest(folder);
  requireFit(config, manifest);
  await requireWholeDatabase(folder, manifest);
  const store = await openDirectoryStore(join(folder, CONTENT));
  return withCopy(config, folder, manifest, async (reader, database) => ({
    manifest,
    database,
    ...(await checkContent(reader, store)),
  }));
}

/** Loads the database, migrates it, and removes it again. */
async function withCopy<T>(
  { databaseUrl }: Config,
  folder: string,
  manifest: Manifest,
  work: (reader: Executor, damage: string[]) => Promise<T>,
): Promise<T> {
  const source = join(folder, manifest.database.file);
  if (sqlitePathOf(databaseUrl) === null) return withServerCopy(databaseUrl, source, manifest, work);
  const temporary = await mkdtemp(join(tmpdir(), 'portage-check-'));
  try {
    const path = join(temporary, 'portage.sqlite');
    await copyFile(source, path);
    const damage = findSqliteDamage(path);
    return await inMigrated(`sqlite:${path}`, manifest, (reader) => work(reader, damage));
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function withServerCopy<T>(
  databaseUrl: string,
  source: string,
  manifest: Manifest,
  work: (reader: Executor, damage: string[]) => Promise<T>,
): Promise<T> {
  const name = `portage_check_${newId().toLowerCase()}`;
  const server = openDatabase(databaseUrl, { isPatient: true });
  try {
    await sql`create database ${sql.ref(name)}`.execute(server);
    try {
      const url = new URL(databaseUrl);
      url.pathname = `/${name}`;
      await loadDump(url.href, source, manifest);
      return await inMigrated(url.href, manifest, (reader) => work(reader, []));
    } finally {
      await sql`drop database ${sql.ref(name)} with (force)`.execute(server);
    }
  } finally {
    await server.destroy();
  }
}

async function inMigrated<T>(
  url: string,
  manifest: Manifest,
  work: (reader: Executor) => Promise<T>,
): Promise<T> {
  const db = openDatabase(url);
  try {
    await requireRows(db, manifest);
    await migrateDatabase(url);
    return await work(db);
  } finally {
    await db.destroy();
  }
}

async function checkContent(
  reader: Executor,
  store: BlobStore,
): Promise<Pick<CheckReport, 'checked' | 'missing' | 'damaged'>> {
  const report: Pick<CheckReport, 'checked' | 'missing' | 'damaged'> = {
    checked: 0,
    missing: [],
    damaged: [],
  };
  const check = async (row: ContentRow, open: () => Promise<BlobHandle | null>, isWhole: IsWhole) => {
    const handle = await open();
    if (handle === null) {
      if (row.isOwned) report.missing.push(row.name);
      return;
    }
    try {
      report.checked += 1;
      if (!(await isWhole(handle))) report.damaged.push(row.name);
    } finally {
      await handle.close();
    }
  };
  for await (const rows of blobRows(reader)) {
    await mapConcurrently(rows, FILES_AT_ONCE, (row) =>
      check(
        row,
        () => store.open(row.name, 'identity'),
        async (handle) => (await digest(handle, 'sha256')) === row.name,
      ),
    );
  }
  for await (const rows of pieceRows(reader)) {
    await mapConcurrently(rows, FILES_AT_ONCE, (row) =>
      check(
        row,
        () => store.pieces.open(row.name),
        async (handle) => {
          return handle.size === row.size && (await digest(handle, 'md5')) === row.etag;
        },
      ),
    );
  }
  return report;
}

type IsWhole = (handle: BlobHandle) => Promise<boolean>;

async function digest(handle: BlobHandle, algorithm: 'sha256' | 'md5'): Promise<string> {
  const hash = createHash(algorithm);
  await pipeline(streamOf(handle), hash);
  return hash.digest('hex');
}
