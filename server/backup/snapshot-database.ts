import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sql } from 'kysely';
import { type Executor, isPostgres, openDatabase } from '#db/client.ts';
import { dumpPostgres, listTables } from '#db/dialects/postgres-dump.ts';
import { writeSqliteSnapshot } from '#db/dialects/sqlite-snapshot.ts';
import type { Manifest } from './manifest.ts';

const SQLITE = 'sqlite:';

/** A database as it was at one moment, in a durable file. */
export interface DatabaseSnapshot {
  /** The name of the file. */
  file: string;
  /** Reads the contents of the file, whatever has happened since. */
  reader: Executor;
  close(): Promise<void>;
}

/** Returns the path of an embedded database, or null for a database server. */
export function sqlitePathOf(databaseUrl: string): string | null {
  return databaseUrl.startsWith(SQLITE) ? databaseUrl.slice(SQLITE.length) : null;
}

/** Writes the database to a folder while the program keeps running. @param mark part of the file's name */
export async function snapshotDatabase(
  databaseUrl: string,
  folder: string,
  mark: string,
): Promise<DatabaseSnapshot> {
  const path = sqlitePathOf(databaseUrl);
  if (path !== null) {
    const file = `database-${mark}.sqlite`;
    writeSqliteSnapshot(path, join(folder, file));
    await sync(join(folder, file));
    const reader = openDatabase(`${SQLITE}${join(folder, file)}`, { isReadOnly: true });
    return { file, reader, close: () => reader.destroy() };
  }
  const file = `database-${mark}.jsonl.gz`;
  const db = openDatabase(databaseUrl, { isPatient: true });
  try {
    const reader = await db
      .startTransaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute();
    await dumpPostgres(reader, join(folder, file));
    await sync(join(folder, file));
    const close = async () => {
      await reader.rollback().execute();
      await db.destroy();
    };
    return { file, reader, close };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Returns the manifest's description of a snapshot's file. */
export async function describeSnapshot(
  folder: string,
  { file, reader }: DatabaseSnapshot,
): Promise<Manifest['database']> {
  return {
    engine: isPostgres(reader) ? 'postgres' : 'sqlite',
    file,
    bytes: (await stat(join(folder, file))).size,
    sha256: await hashFile(join(folder, file)),
    migration: await newestMigration(reader),
    rows: await countRows(reader),
  };
}

/** Returns how many rows each table has. */
export async function countRows(executor: Executor): Promise<Record<string, number>> {
  const tables = isPostgres(executor) ? await listTables(executor) : await listSqliteTables(executor);
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
      executor,
    );
    counts[table] = Number(rows[0]?.count);
  }
  return counts;
}

async function listSqliteTables(executor: Executor): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name`.execute(
    executor,
  );
  return rows.map(({ name }) => name);
}

async function newestMigration(executor: Executor): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select name from kysely_migration order by name desc limit 1`.execute(executor);
  return rows[0]?.name ?? '';
}

/** Returns the SHA-256 of a file in hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.chmod(0o600);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
