import { setImmediate as nextTurnOfLoop, setTimeout } from 'node:timers/promises';
import type { QueryResult } from 'kysely';
import type { LogSync } from './log-sync.ts';
import type { SqliteHandle } from './sqlite-handle.ts';
import { type CommitGroup, SqliteTurn } from './sqlite-turn.ts';

/**
 * Work that waits for its turn. One transaction at a time holds the connection, because it cannot tell the
 * statements of two transactions apart.
 */
type Waiting =
  | { kind: 'transaction'; since: number; isDeferred: boolean; start(turn: SqliteTurn): void; fail: Fail }
  | { kind: 'statement'; since: number; run(): Answer; fail: Fail };
type Answer = () => void;
type Fail = (error: unknown) => void;

/** How many transactions share a commit, and how long one may wait for others. */
export interface SqliteBounds {
  /** Transactions in one commit. */
  membersMax: number;
  /** How long finished transactions wait for others to join. */
  gatheringMs: number;
  /** From this time on, a sync of the disk is too long for the event loop to wait for it. */
  slowSyncMs: number;
  /** How long another process may hold the write lock before waiting transactions fail. */
  patienceMs: number;
}

export const SQLITE_BOUNDS: SqliteBounds = {
  membersMax: 64,
  gatheringMs: 10,
  slowSyncMs: 5,
  patienceMs: 5_000,
};

/** How often the write lock is requested while another process holds it. */
const ASK_AGAIN_MS = 2;

/**
 * Runs write transactions one after another, and commits those together that arrive at the same time. A
 * commit waits for the disk, which takes longer than everything else in most transactions, so a group shares
 * one. Each transaction returns after it. A failed one is rolled back to where it began and leaves the others
 * intact; when the commit itself fails, all of them do.
 * A fast disk is waited for within the commit, which takes less time than a thread needs to answer. While the
 * disk is slow, commits leave the log to {@link LogSync}, and other work continues until it is on disk. Then
 * readers see changes that are not on disk yet; whatever is written because of them is behind them in the log.
 * The schema has no constraints that are checked only at the commit (`deferrable`): with them, one
 * transaction would fail the others of its group.
 */
export class SqliteWriter {
  private readonly handle: SqliteHandle;
  private readonly log: LogSync | null;
  private readonly bounds: SqliteBounds;
  private readonly onCommit: () => void;
  private readonly waiting: Waiting[] = [];
  private onArrival: (() => void) | null = null;
  private working: Promise<void> | null = null;
  private isClosed = false;
  /** How long the disk took when it was last waited for. */
  private lastSyncMs = 0;
  /** Whether SQLite's commits currently wait for the disk. */
  private isDurable = true;
  /**
   * Since when every attempt has found the write lock held by another process; null when the last one
   * succeeded.
   */
  private lockedSince: number | null = null;

  /**
   * @param log null for a database in memory, which has none
   * @param onCommit called after each commit, however many transactions share it
   */
  constructor(handle: SqliteHandle, log: LogSync | null, bounds: SqliteBounds, onCommit: () => void) {
    this.handle = handle;
    this.log = log;
    this.bounds = bounds;
    this.onCommit = onCommit;
  }

  /**
   * Begins a transaction when it is its turn.
   * @param options.isDeferred whether it may return before its changes are on disk
   * @throws SQLITE_BUSY when another process holds the write lock for five seconds
   */
  begin({ isDeferred = false }: { isDeferred?: boolean } = {}): Promise<SqliteTurn> {
    return new Promise((start, fail) => {
      this.enqueue({ kind: 'transaction', since: performance.now(), isDeferred, start, fail });
    });
  }

  /**
   * Runs one statement as a transaction.
   * @throws its error, or like `begin`
   */
  async change<R>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
    const turn = await this.begin();
    let result: QueryResult<R>;
    try {
      result = turn.run<R>(sql, parameters);
    } catch (error) {
      await turn.rollback();
      throw error;
    }
    await turn.commit();
    return result;
  }

  /**
   * Runs a statement outside any transaction, as pragmas and `vacuum` require.
   * @throws like `change`
   */
  runAlone<R>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
    return new Promise((resolve, fail) => {
      const run = () => {
        const result = this.handle.run<R>(sql, parameters);
        return () => resolve(result);
      };
      this.enqueue({ kind: 'statement', since: performance.now(), run, fail });
    });
  }

  /** Resolves when everything that was begun has had its turn. Accepts nothing after that. */
  async finish(): Promise<void> {
    // What was begun in this turn of the event loop is still on its way here.
    await nextTurnOfLoop();
    while (this.working) await this.working;
    this.isClosed = true;
    await this.log?.finish();
  }

  close(): void {
    this.log?.close();
    this.handle.close();
  }

  private enqueue(one: Waiting): void {
    if (this.isClosed) {
      one.fail(new Error('The database is closed'));
      return;
    }
    this.waiting.push(one);
    this.onArrival?.();
    this.working ??= this.work();
  }

  private async work(): Promise<void> {
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      try {
        if (next.kind === 'transaction') await this.runGroup(next);
        else await this.runStatement(next);
      } catch (error) {
        next.fail(error);
      }
      // Lets responses be sent, and other processes write.
      if (this.waiting.length > 0) await nextTurnOfLoop();
    }
    this.working = null;
  }

  private async runStatement({ since, run }: Waiting & { kind: 'statement' }): Promise<void> {
    const answer = await this.outwaitOthers(since, () => {
      this.setDurable(true);
      return run();
    });
    if (this.handle.inTransaction) {
      this.handle.execute('rollback');
      throw new Error('A transaction begins with db.transaction() and not with a statement');
    }
    answer();
  }

  private async runGroup(first: Waiting & { kind: 'transaction' }): Promise<void> {
    const { isDeferred } = first;
    const isSlow = this.lastSyncMs >= this.bounds.slowSyncMs;
    const isSyncedApart = !isDeferred && isSlow && this.log?.open() === true;
    await this.outwaitOthers(first.since, () => {
      this.copyDoubtfulLog();
      this.setDurable(!isDeferred && !isSyncedApart);
      this.handle.execute('begin immediate');
    });
    const group: CommitGroup = { members: [], failure: null };
    const fullAt = performance.now() + this.bounds.gatheringMs;
    let next: (Waiting & { kind: 'transaction' }) | null = first;
    while (next) {
      const turn = new SqliteTurn(this.handle, group);
      next.start(turn);
      await turn.hasEnded;
      const isFull = group.members.length >= this.bounds.membersMax || performance.now() >= fullAt;
      next = isFull || !this.handle.inTransaction ? null : await this.nextMember(isDeferred);
    }
    if (!this.commit(group)) return;
    if (isSyncedApart) void this.syncApart(group);
    else answer(group, null);
  }

  /**
   * Returns a transaction that joins the group: one that already waits, or that arrives in the same turn of
   * the event loop.
   */
  private async nextMember(isDeferred: boolean): Promise<(Waiting & { kind: 'transaction' }) | null> {
    if (this.waiting.length === 0) await this.arrivalOrNextTurnOfLoop();
    const [next] = this.waiting;
    // SQLite cannot change `synchronous` inside a transaction, and a deferred one need not wait for the disk.
    if (next?.kind !== 'transaction' || next.isDeferred !== isDeferred) return null;
    this.waiting.shift();
    return next;
  }

  /** Requests that arrived together are read one after another, in the same turn of the event loop. */
  private arrivalOrNextTurnOfLoop(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearImmediate(immediate);
        this.onArrival = null;
        resolve();
      };
      const immediate = setImmediate(end);
      this.onArrival = end;
    });
  }

  /** Returns whether there is something that has been committed; if it failed, every member has its error. */
  private commit(group: CommitGroup): boolean {
    if (group.members.length === 0) return false;
    try {
      if (group.failure) throw group.failure.error;
      const startedAt = performance.now();
      this.handle.execute('commit');
      if (this.isDurable) this.lastSyncMs = performance.now() - startedAt;
    } catch (error) {
      if (codeOf(error) === 'SQLITE_IOERR_FSYNC') this.log?.distrust(error);
      this.rollback();
      answer(group, { error });
      return false;
    }
    this.onCommit();
    return true;
  }

  /** Answers the members of a commit when the log is on disk. */
  private async syncApart(group: CommitGroup): Promise<void> {
    try {
      await this.log?.sync();
      this.lastSyncMs = this.log?.lastMs ?? 0;
      answer(group, null);
    } catch (error) {
      answer(group, { error });
    }
  }

  /**
   * After a failed sync, copies the whole log into the database and syncs that: what follows in the log would
   * be lost with the part that is missing.
   * @throws SQLITE_BUSY while a reader still needs the log
   */
  private copyDoubtfulLog(): void {
    if (!this.log?.isDoubtful) return;
    this.handle.copyLog();
    this.log.trustAgain();
  }

  /** Leaves no transaction open; the original error is the one to report. */
  private rollback(): void {
    try {
      if (this.handle.inTransaction) this.handle.execute('rollback');
    } catch {
      // The next transaction fails at its beginning, and reports it.
    }
  }

  private setDurable(isDurable: boolean): void {
    if (this.isDurable === isDurable) return;
    this.handle.pragma(`synchronous = ${isDurable ? 'full' : 'normal'}`);
    this.isDurable = isDurable;
  }

  /** Retries until no other process holds the write lock, without blocking the event loop. */
  private async outwaitOthers<T>(since: number, attempt: () => T): Promise<T> {
    for (;;) {
      try {
        const result = attempt();
        this.lockedSince = null;
        return result;
      } catch (error) {
        const now = performance.now();
        if (!isBusy(error)) throw error;
        this.lockedSince ??= now;
        // Waiting for transactions of this process does not count.
        if (now - Math.max(since, this.lockedSince) >= this.bounds.patienceMs) throw error;
      }
      await setTimeout(ASK_AGAIN_MS);
    }
  }
}

function answer({ members }: CommitGroup, failure: CommitGroup['failure']): void {
  for (const turn of members) turn.answer(failure);
}

function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY');
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
