import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type SqliteDatabase as KyselySqliteDatabase,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';
import { LRUCache } from 'lru-cache';
import { keepPrivate } from '../keep-private.ts';

/** Returns the dialect of an embedded database file: WAL, durable commits, foreign keys checked. */
export function createSqliteDialect(path: string): SqliteDialect {
  return new EmbeddedDialect(path);
}

class EmbeddedDialect extends SqliteDialect {
  private readonly path: string;

  constructor(path: string) {
    super({ database: async () => openFile(path) });
    this.path = path;
  }

  override createDriver(): Driver {
    return new EmbeddedDriver(this.path);
  }
}

/** One connection to one file. */
class EmbeddedDriver extends SqliteDriver {
  private readonly opened: { database: SqliteDatabase.Database | null };

  constructor(path: string) {
    const opened: { database: SqliteDatabase.Database | null } = { database: null };
    super({
      database: async () => {
        opened.database = openFile(path);
        return cachingStatements(opened.database);
      },
    });
    this.opened = opened;
  }

  /**
   * Takes the right to write at the beginning, where another process that has it is waited for (`busy_timeout`). A
   * transaction that has read already is refused at once when that process has written since, and would have to be repeated.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /**
   * SQLite rolls back by itself when the disk is full or fails (https://sqlite.org/lang_transaction.html, "Response to
   * errors within a transaction"). A second rollback would fail and hide what happened.
   */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.opened.database?.inTransaction) await super.rollbackTransaction(connection);
  }
}

/** Most programs have a few hundred different statements; lists of many values make the rest. */
const STATEMENTS_MAX = 500;

/**
 * Returns the database with its prepared statements kept: preparing costs more than most of our statements themselves.
 * A statement is used up at once (Kysely reads all rows before it goes on), so one can serve again and again.
 */
function cachingStatements(database: SqliteDatabase.Database): KyselySqliteDatabase {
  const statements = new LRUCache<string, SqliteDatabase.Statement>({ max: STATEMENTS_MAX });
  return {
    prepare(sql: string) {
      const known = statements.get(sql);
      if (known) return known;
      const statement = database.prepare(sql);
      statements.set(sql, statement);
      return statement;
    },
    close: () => database.close(),
  };
}

function openFile(path: string): SqliteDatabase.Database {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // It holds sessions and hashes of passwords. SQLite gives the files beside a database the database's own mode.
    for (const suffix of ['', '-wal', '-shm']) keepPrivate(`${path}${suffix}`);
  }
  const database = new SqliteDatabase(path);
  database.pragma('journal_mode = WAL');
  // FULL syncs the log at each commit: what was acknowledged survives a power cut, not only a crash.
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  database.pragma('busy_timeout = 5000');
  return database;
}
