import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { SqliteDialect } from 'kysely';

/** Returns the dialect of an embedded database file: WAL, durable commits, foreign keys checked. */
export function createSqliteDialect(path: string): SqliteDialect {
  return new SqliteDialect({
    database: async () => {
      if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const database = new SqliteDatabase(path);
      database.pragma('journal_mode = WAL');
      // FULL syncs the log at each commit: what was acknowledged survives a power cut, not only a crash.
      database.pragma('synchronous = FULL');
      database.pragma('foreign_keys = ON');
      database.pragma('busy_timeout = 5000');
      return database;
    },
  });
}
