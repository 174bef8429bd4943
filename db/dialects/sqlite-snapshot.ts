import SqliteDatabase from 'better-sqlite3';

/**
 * Writes a copy of a database file as it is at this moment, while others continue reading and writing it
 * (https://sqlite.org/lang_vacuum.html#vacuuminto). A page-by-page copy would start over with every commit.
 * The target must not exist; the caller makes it durable.
 */
export function writeSqliteSnapshot(path: string, target: string): void {
  const database = new SqliteDatabase(path, { readonly: true, fileMustExist: true });
  try {
    database.prepare('vacuum into ?').run(target);
  } finally {
    database.close();
  }
}

/** Returns the damage found in a database file, in SQLite's own words; empty when there is none. */
export function findSqliteDamage(path: string): string[] {
  const database = new SqliteDatabase(path, { readonly: true, fileMustExist: true });
  try {
    const found = database.pragma('integrity_check(20)', { simple: false }) as { integrity_check: string }[];
    const broken = database.pragma('foreign_key_check') as { table: string; parent: string }[];
    return [
      ...found.map((row) => row.integrity_check).filter((text) => text !== 'ok'),
      ...broken.slice(0, 20).map(({ table, parent }) => `a row of ${table} names none of ${parent}`),
    ];
  } finally {
    database.close();
  }
}
