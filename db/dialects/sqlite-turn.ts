import type { QueryResult } from 'kysely';
import type { SqliteHandle } from './sqlite-handle.ts';

/** Transactions that share a commit. */
export interface CommitGroup {
  /** Those that wait for it: the result of what one of them did or saw is returned only after the commit. */
  members: SqliteTurn[];
  /**
   * Why there is nothing left to commit: SQLite rolls everything back on its own when the disk is full or
   * fails.
   */
  failure: Failure | null;
}

interface Failure {
  error: unknown;
}

/**
 * One transaction while it holds the connection. All but the first of a group are savepoints, so that a
 * failed one leaves those before it intact. A transaction that is alone in its group needs no savepoint.
 */
export class SqliteTurn {
  /** Resolves when its own statements have been committed or rolled back: then the next one may begin. */
  readonly hasEnded: Promise<void>;
  private readonly handle: SqliteHandle;
  private readonly group: CommitGroup;
  private readonly isFirst: boolean;
  private hasSavepoint = false;
  private readonly ended = Promise.withResolvers<void>();
  private readonly answered = Promise.withResolvers<void>();
  private isOpen = true;

  constructor(handle: SqliteHandle, group: CommitGroup) {
    this.handle = handle;
    this.group = group;
    this.hasEnded = this.ended.promise;
    this.isFirst = group.members.length === 0;
  }

  /** @throws the statement's error, after which the transaction continues unless SQLite has ended it */
  run<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    if (!this.isOpen) throw new Error('The transaction has ended');
    if (this.group.failure) throw this.group.failure.error;
    try {
      if (!this.isFirst && !this.hasSavepoint) {
        this.handle.execute('savepoint member');
        this.hasSavepoint = true;
      }
      return this.handle.run<R>(sql, parameters);
    } catch (error) {
      // Without a transaction, the next statement would be committed on its own.
      if (!this.handle.inTransaction) this.group.failure ??= { error };
      throw error;
    }
  }

  /**
   * Resolves when the group's commit has reached the disk.
   * @throws the commit's error, for each transaction of the group
   */
  commit(): Promise<void> {
    this.end(this.hasSavepoint ? ['release member'] : []);
    return this.awaitCommit();
  }

  /**
   * Undoes what it did; no effect once it has ended. It may have failed because of what others in its group
   * did, so it waits for their commit as well.
   */
  async rollback(): Promise<void> {
    if (!this.isOpen) return;
    if (this.isFirst) {
      this.end(['rollback']);
      return;
    }
    this.end(this.hasSavepoint ? ['rollback to member', 'release member'] : []);
    await this.awaitCommit();
  }

  /** Ends the wait for the commit. */
  answer(failure: Failure | null): void {
    if (failure) this.answered.reject(failure.error);
    else this.answered.resolve();
  }

  private end(statements: readonly string[]): void {
    this.isOpen = false;
    try {
      if (this.handle.inTransaction) for (const statement of statements) this.handle.execute(statement);
    } catch (error) {
      this.group.failure ??= { error };
    }
    this.ended.resolve();
  }

  private awaitCommit(): Promise<void> {
    this.group.members.push(this);
    return this.answered.promise;
  }
}
