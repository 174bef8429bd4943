import { dirname } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import { keepPrivate } from '../keep-private.ts';
import { makeFolders } from '../make-folders.ts';
import { FOLD_TEXT, foldText } from './fold-text.ts';

/** Most programs have a few hundred different statements; lists of many values account for the rest. */
const STATEMENTS_MAX = 500;

/**
 * One connection to a database file, with its prepared statements cached: preparing costs more than running
 * most statements.
 */
export class SqliteHandle {
  private readonly database: SqliteDatabase.Database;
  private readonly statements = new LRUCache<string, SqliteDatabase.Statement>({ max: STATEMENTS_MAX });

  constructor(database: SqliteDatabase.Database) {
    this.database = database;
    database.function(FOLD_TEXT, { deterministic: true }, (text: unknown) =>
      typeof text === 'string' ? foldText(text) : null,
    );
  }

  /** Whether a transaction is open. SQLite itself ends one when the disk is full or fails. */
  get inTransaction(): boolean {
    return this.database.inTransaction;
  }

  run<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    const statement = this.prepare(sql);
    // The type of the rows is Kysely's, made from the statement.
    if (statement.reader) return { rows: statement.all(parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  /** Runs a statement that has neither parameters nor rows. */
  execute(sql: string): void {
    this.prepare(sql).run();
  }

  /** Whether the statement only reads. */
  isRead(sql: string): boolean {
    // A pragma takes effect while it is prepared.
    if (/\bpragma\b/i.test(sql)) return false;
    const { readonly, reader } = this.prepare(sql);
    return readonly && reader;
  }

  pragma(text: string): void {
    this.database.pragma(text);
  }

  /**
   * Copies the whole log into the database, syncs that and empties the log.
   * @throws SQLITE_BUSY while another connection needs the log
   */
  copyLog(): void {
    const [result] = this.database.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    if (result?.busy !== 0) throw new SqliteDatabase.SqliteError('the log is in use', 'SQLITE_BUSY');
  }

  close(): void {
    this.database.close();
  }

  /** A statement can be reused, because all of its rows are read at once each time. */
  private prepare(sql: string): SqliteDatabase.Statement {
    const known = this.statements.get(sql);
    if (known) return known;
    const statement = this.database.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }
}

/**
 * Opens a database file for reading and writing, and creates it if missing: WAL, durable commits, foreign
 * keys checked. A statement that finds the file locked by another process fails immediately (SQLITE_BUSY).
 */
export function openForWriting(path: string): SqliteHandle {
  if (path !== ':memory:') {
    makeFolders(dirname(path));
    // It contains sessions and password hashes. SQLite gives the files next to a database the database's own
    // mode.
    for (const suffix of ['', '-wal', '-shm']) keepPrivate(`${path}${suffix}`);
  }
  const database = new SqliteDatabase(path);
  database.pragma('journal_mode = WAL');
  // FULL syncs the log at each commit: what was acknowledged survives a power cut, not only a crash.
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  // The checkpointer has copied the log long before this.
  database.pragma('wal_autocheckpoint = 8000');
  // SQLite would block the event loop while it waits; the writer waits without blocking it.
  database.pragma('busy_timeout = 0');
  return new SqliteHandle(database);
}

/**
 * Opens a database file for reading: each statement sees what was committed before it, and does not wait for
 * writers.
 */
export function openForReading(path: string): SqliteHandle {
  const database = new SqliteDatabase(path, { readonly: true });
  // Readers only wait while a connection recovers the log after a crash.
  database.pragma('busy_timeout = 5000');
  return new SqliteHandle(database);
}
