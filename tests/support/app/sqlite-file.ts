import { readFile } from 'node:fs/promises';
import { Kysely } from 'kysely';
import { onTestFinished } from 'vitest';
import { type Db, type Executor, openDatabase } from '#db/client.ts';
import type { SyncFile } from '#db/dialects/log-sync.ts';
import { createSqliteDialect } from '#db/dialects/sqlite.ts';
import { SQLITE_BOUNDS, type SqliteBounds } from '#db/dialects/sqlite-writer.ts';
import type { Database } from '#db/schema/database.ts';
import { createTestDatabase } from './test-database.ts';

/** Even on a busy machine, everything that waits at the same moment joins one commit. */
const AS_LONG_AS_NEEDED_MS = 60_000;

/** Opens a new migrated SQLite file; it is closed and removed when the test ends. */
export async function openSqliteFile(
  bounds: Partial<SqliteBounds> = {},
  syncFile?: SyncFile,
): Promise<{ db: Db; path: string }> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const path = url.slice('sqlite:'.length);
  const dialect = createSqliteDialect(path, {
    bounds: { ...SQLITE_BOUNDS, gatheringMs: AS_LONG_AS_NEEDED_MS, ...bounds },
    syncFile,
  });
  const db: Db = new Kysely<Database>({ dialect });
  onTestFinished(() => db.destroy());
  return { db, path };
}

/** Opens the same file again, like another process. */
export function openAgain(url: string, options: { isReadOnly?: boolean } = {}): Db {
  const db = openDatabase(url, options);
  onTestFinished(() => db.destroy());
  return db;
}

/** Writes a row to the simplest table. Two with the same name fail. */
export async function addLease(executor: Executor, name: string): Promise<void> {
  await executor.insertInto('leases').values({ name, holder: '', expires_at: 0 }).execute();
}

export async function leaseNames(executor: Executor): Promise<string[]> {
  const rows = await executor.selectFrom('leases').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Returns how many commits are in the log of a database file
 * (https://sqlite.org/fileformat2.html#the_write_ahead_log).
 */
export async function countCommits(path: string): Promise<number> {
  const log = await readFile(`${path}-wal`);
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8);
  let commits = 0;
  for (let at = HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    // Only the last frame of a commit contains the size of the database after it.
    if (log.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return commits;
}
