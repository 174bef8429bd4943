import { dirname } from 'node:path';
import {
  type CompiledQuery,
  createQueryId,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  sql,
} from 'kysely';
import { syncNewFolder } from '../sync-folder.ts';
import { Checkpointer } from './checkpointer.ts';
import { LogSync, type SyncFile } from './log-sync.ts';
import { SteadyPlanCompiler } from './sqlite-compiler.ts';
import { openForReading, openForWriting, type SqliteHandle } from './sqlite-handle.ts';
import type { SqliteTurn } from './sqlite-turn.ts';
import { SQLITE_BOUNDS, type SqliteBounds, SqliteWriter } from './sqlite-writer.ts';

/** How a database file is opened. */
export interface SqliteOptions {
  /** Nothing can be written, and writers do not wait. The file must exist. */
  isReadOnly?: boolean;
  bounds?: SqliteBounds;
  syncFile?: SyncFile;
}

/**
 * Returns the dialect of an embedded database file. Reads outside transactions use their own connection: they
 * see what has been committed, and do not wait for writers. Writes take turns (`SqliteWriter`).
 */
export function createSqliteDialect(
  path: string,
  { isReadOnly = false, bounds = SQLITE_BOUNDS, syncFile }: SqliteOptions = {},
): Dialect {
  return {
    createDriver: () => new EmbeddedDriver(path, { isReadOnly, bounds, syncFile }),
    createAdapter: () => new EmbeddedAdapter(),
    createQueryCompiler: () => new SteadyPlanCompiler(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}

/** Allows transactions that begin on this connection to return before their changes are on disk. */
export async function deferCommits(connection: DatabaseConnection): Promise<void> {
  embedded(connection).isDeferred = true;
}

/** Unlike Kysely's own, which hands out one connection at a time and migrates outside transactions. */
class EmbeddedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /**
   * All migrations at a start are one transaction, so that two processes do not migrate at once and none
   * stops halfway.
   */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Connections that wait for their next query; each is a small object. */
const IDLE_MAX = 64;

type DriverOptions = SqliteOptions & { isReadOnly: boolean; bounds: SqliteBounds };

class EmbeddedDriver implements Driver {
  private readonly path: string;
  private readonly options: DriverOptions;
  private readonly checkpointer: Checkpointer | null;
  private handles: Handles | null = null;
  private readonly idle: EmbeddedConnection[] = [];

  constructor(path: string, options: DriverOptions) {
    this.path = path;
    this.options = options;
    this.checkpointer = path === ':memory:' || options.isReadOnly ? null : new Checkpointer(path);
  }

  async init(): Promise<void> {
    const { isReadOnly, bounds, syncFile } = this.options;
    const isInMemory = this.path === ':memory:';
    // The writer creates the file. A database in memory has only one connection.
    const writing = isReadOnly ? null : openForWriting(this.path);
    // The log has been created by now, perhaps by a process that never commits: SQLite syncs the log's name only in
    // the process that has created it.
    if (writing && !isInMemory) await syncNewFolder(dirname(this.path));
    const log = isInMemory ? null : new LogSync(`${this.path}-wal`, syncFile);
    this.handles = {
      writer: writing && new SqliteWriter(writing, log, bounds, () => this.checkpointer?.noteCommit()),
      reader: isInMemory ? null : openForReading(this.path),
    };
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (!this.handles) throw new Error('The database is not open');
    return this.idle.pop() ?? new EmbeddedConnection(this.handles);
  }

  beginTransaction(connection: DatabaseConnection): Promise<void> {
    return embedded(connection).begin();
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return embedded(connection).commit();
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return embedded(connection).rollback();
  }

  savepoint(connection: DatabaseConnection, name: string, compile: Compile): Promise<void> {
    return run(connection, sql`savepoint ${sql.id(name)}`, compile);
  }

  rollbackToSavepoint(connection: DatabaseConnection, name: string, compile: Compile): Promise<void> {
    return run(connection, sql`rollback to ${sql.id(name)}`, compile);
  }

  releaseSavepoint(connection: DatabaseConnection, name: string, compile: Compile): Promise<void> {
    return run(connection, sql`release ${sql.id(name)}`, compile);
  }

  /**
   * Keeps a connection for the next query: Kysely keeps an entry for every connection that it was given, which costs more than looking one up.
   * A connection that had a transaction is dropped: a late query of that transaction must not become part of another.
   */
  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const released = embedded(connection);
    await released.rollback();
    if (released.isUnchanged && this.idle.length < IDLE_MAX) this.idle.push(released);
  }

  async destroy(): Promise<void> {
    const { reader = null, writer = null } = this.handles ?? {};
    await writer?.finish();
    await this.checkpointer?.close();
    // The last connection to close copies the log into the database, which a reader cannot.
    reader?.close();
    writer?.close();
  }
}

type Compile = QueryCompiler['compileQuery'];

async function run(
  connection: DatabaseConnection,
  statement: ReturnType<typeof sql>,
  compile: Compile,
): Promise<void> {
  await connection.executeQuery(compile(statement.toOperationNode(), createQueryId()));
}

/** The writer is null when read-only, the reader when the database is in memory. */
interface Handles {
  writer: SqliteWriter | null;
  reader: SqliteHandle | null;
}

/** Kysely's connection. It owns no handle, and uses the writer's during its turn. */
class EmbeddedConnection implements DatabaseConnection {
  isDeferred = false;
  private hasBegun = false;
  private readonly handles: Handles;
  private turn: SqliteTurn | null = null;

  constructor(handles: Handles) {
    this.handles = handles;
  }

  /** Whether it is as a new one. */
  get isUnchanged(): boolean {
    return !this.hasBegun && !this.isDeferred;
  }

  async begin(): Promise<void> {
    this.hasBegun = true;
    this.turn = await this.requireWriter().begin({ isDeferred: this.isDeferred });
  }

  async commit(): Promise<void> {
    await this.turn?.commit();
    this.turn = null;
  }

  async rollback(): Promise<void> {
    await this.turn?.rollback();
    this.turn = null;
  }

  async executeQuery<R>({ query, sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.turn) return this.turn.run<R>(sql, parameters);
    const { reader } = this.handles;
    if (CHANGES.has(query.kind)) return this.requireWriter().change<R>(sql, parameters);
    if (reader?.isRead(sql)) return reader.run<R>(sql, parameters);
    return this.requireWriter().runAlone<R>(sql, parameters);
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    // An unfinished statement would keep every other read of the connection at the state in which it began.
    throw new TypeError('rows are not streamed from SQLite');
  }

  private requireWriter(): SqliteWriter {
    const { writer } = this.handles;
    if (!writer) throw new Error('This process only reads the database.');
    return writer;
  }
}

/** Statements that can share a commit with transactions. Others, such as `vacuum`, run alone. */
const CHANGES: ReadonlySet<CompiledQuery['query']['kind']> = new Set([
  'InsertQueryNode',
  'UpdateQueryNode',
  'DeleteQueryNode',
]);

function embedded(connection: DatabaseConnection): EmbeddedConnection {
  if (connection instanceof EmbeddedConnection) return connection;
  throw new TypeError('not a connection of this dialect');
}
