import { rename } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Db, Trx } from '#db/client.ts';
import { SqliteHandle } from '#db/dialects/sqlite-handle.ts';
import type { SqliteBounds } from '#db/dialects/sqlite-writer.ts';
import { type CommitOptions, inTransaction } from '#db/transaction.ts';
import { addLease, countCommits, leaseNames, openSqliteFile } from '#tests/support/app/sqlite-file.ts';

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );
const adding = (db: Db, name: string) => inTransaction(db, (trx) => addLease(trx, name));

/** Starts a transaction that writes a row and stays open until it is told to continue. */
async function holdTransaction(
  db: Db,
  name: string,
  options?: CommitOptions,
): Promise<{ goOn(): void; end: Promise<void> }> {
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const end = inTransaction(
    db,
    async (trx) => {
      await addLease(trx, name);
      begun.resolve();
      await held.promise;
    },
    options,
  );
  await begun.promise;
  return { goOn: held.resolve, end };
}

describe('transactions that wait at the same time', () => {
  it('share one commit, and all return', async () => {
    const { db, path } = await openSqliteFile();
    const held = await holdTransaction(db, '0');
    const others = ['1', '2', '3'].map((name) => adding(db, name));
    held.goOn();
    await Promise.all([held.end, ...others]);
    expect(await countCommits(path)).toBe(1);
    expect(await leaseNames(db)).toEqual(['0', '1', '2', '3']);
  });

  it('share one when they arrive one after the other in the same turn of the event loop, including single statements', async () => {
    const { db, path } = await openSqliteFile();
    // Like requests read from several connections at once. Each one's work is done before the next one is
    // read.
    const works = await Promise.all(
      [adding, addLease, adding, addLease].map(async (add, index) => {
        await setImmediate();
        return { added: add(db, `${index}`) };
      }),
    );
    await Promise.all(works.map(({ added }) => added));
    expect(await countCommits(path)).toBe(1);
    expect(await leaseNames(db)).toEqual(['0', '1', '2', '3']);
  });

  it('return after the commit and not before, and until then no reader sees their changes', async () => {
    const { db } = await openSqliteFile();
    const first = await holdTransaction(db, '1');
    let isAnswered = false;
    void first.end.then(() => {
      isAnswered = true;
    });
    const second = holdTransaction(db, '2');
    first.goOn();
    const { goOn, end } = await second;
    // The first one is done, and the second holds the connection.
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(isAnswered).toBe(false);
    expect(await leaseNames(db)).toEqual([]);
    goOn();
    await Promise.all([first.end, end]);
    expect(await leaseNames(db)).toEqual(['1', '2']);
  });

  it('leave each other intact when one of them fails, in any position', async () => {
    const { db } = await openSqliteFile();
    await addLease(db, 'taken');
    const twice = () =>
      inTransaction(db, async (trx) => {
        await addLease(trx, 'half');
        await addLease(trx, 'taken');
      });
    const works = [twice(), adding(db, '1'), twice(), addLease(db, 'taken'), adding(db, '2'), twice()];
    const failed = 'SQLITE_CONSTRAINT_PRIMARYKEY';
    expect(await Promise.all(works.map(codeOf))).toEqual([failed, 'done', failed, failed, 'done', failed]);
    expect(await leaseNames(db)).toEqual(['1', '2', 'taken']);
  });

  it('see the changes of those before them in the same commit', async () => {
    const { db } = await openSqliteFile();
    const [, seen] = await Promise.all([adding(db, '1'), inTransaction(db, leaseNames)]);
    expect(seen).toEqual(['1']);
  });

  it('fail together when their commit fails, each with its error, and the next one works', async () => {
    const { db } = await openSqliteFile();
    // Nothing in our schema is checked this late.
    await sql`create table late (name text references leases deferrable initially deferred)`.execute(db);
    const works = [
      adding(db, '1'),
      inTransaction(db, (trx) => sql`insert into late values ('nobody')`.execute(trx)),
      addLease(db, '2'),
    ];
    const failed = 'SQLITE_CONSTRAINT_FOREIGNKEY';
    expect(await Promise.all(works.map(codeOf))).toEqual([failed, failed, failed]);
    expect(await leaseNames(db)).toEqual([]);
    await adding(db, '3');
    expect(await leaseNames(db)).toEqual(['3']);
  });

  it('fail together when SQLite rolls everything back, whether the error is caught or not, and the next one works', async () => {
    const { db } = await openSqliteFile();
    await addLease(db, 'taken');
    const losing = async (trx: Trx) => {
      // What happens on a full or failing disk: https://sqlite.org/lang_transaction.html
      const statement = sql`insert or rollback into leases values ('taken', '', 0)`;
      await statement.execute(trx).catch(() => undefined);
      await addLease(trx, 'beside every transaction').catch(() => undefined);
    };
    const works = [adding(db, '1'), inTransaction(db, losing), adding(db, '2')];
    const failed = 'SQLITE_CONSTRAINT_PRIMARYKEY';
    expect(await Promise.all(works.map(codeOf))).toEqual([failed, failed, 'done']);
    expect(await leaseNames(db)).toEqual(['2', 'taken']);
  });

  it('return after what they have seen is committed, including those that fail because of it', async () => {
    const { db } = await openSqliteFile();
    const added = adding(db, '1');
    const refused = inTransaction(db, async (trx) => {
      if ((await leaseNames(trx)).length > 0) throw new Error('it is there');
    });
    await expect(refused).rejects.toThrow('it is there');
    expect(await leaseNames(db)).toEqual(['1']);
    await added;
  });

  it.each([
    ['so many of them', { membersMax: 3 }],
    ['so long', { membersMax: Number.POSITIVE_INFINITY, gatheringMs: 0 }],
  ])(
    'wait for each other only %s: those that are done are answered while more and more come',
    async (_, bounds) => {
      const { db } = await openSqliteFile(bounds);
      let isAnswered = false;
      const works: Promise<void>[] = [];
      const addAnother = () => {
        const name = `${works.length}`;
        const work = inTransaction(db, async (trx) => {
          await addLease(trx, name);
          if (!isAnswered && works.length < 1_000) addAnother();
        });
        works.push(
          work.then(() => {
            isAnswered = true;
          }),
        );
      };
      addAnother();
      for (const work of works) await work;
      expect(works.length).toBeGreaterThan(1);
      expect(works.length).toBeLessThan(1_000);
      expect(await leaseNames(db)).toHaveLength(works.length);
    },
  );
});

describe('a deferred transaction', () => {
  /** Whether the commit of the transaction waits for the disk: 2 is FULL, 1 NORMAL. */
  const levelIn = async (trx: Trx) => {
    await addLease(trx, `${Math.random()}`);
    const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(trx);
    return rows[0]?.synchronous;
  };

  it('shares a commit only with deferred ones, so that no durable one misses the disk, and it waits for none', async () => {
    const { db, path } = await openSqliteFile();
    const held = await holdTransaction(db, 'first', { isDeferred: true });
    const levels: Promise<unknown>[] = [];
    for (const isDeferred of [true, false, true]) {
      levels.push(inTransaction(db, levelIn, { isDeferred }));
      await setImmediate();
    }
    held.goOn();
    expect(await Promise.all(levels)).toEqual([1, 2, 1]);
    expect(await countCommits(path)).toBe(3);
  });
});

it('after a commit whose sync fails, the next one is not done before deferred ones before it are in the database', async () => {
  const { db, path } = await openSqliteFile();
  await inTransaction(db, (trx) => addLease(trx, '1'), { isDeferred: true });
  const { execute } = SqliteHandle.prototype;
  const failing = vi.spyOn(SqliteHandle.prototype, 'execute').mockImplementation(function (
    this: SqliteHandle,
    sql,
  ) {
    if (sql === 'commit') throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' });
    execute.call(this, sql);
  });
  onTestFinished(() => failing.mockRestore());
  expect(await codeOf(adding(db, '2'))).toBe('SQLITE_IOERR_FSYNC');
  failing.mockRestore();
  await adding(db, '3');
  expect(await countCommits(path)).toBe(1);
  expect(await leaseNames(db)).toEqual(['1', '3']);
});

describe('while the disk is slow', () => {
  /** A file each of whose syncs ends when it is told to. */
  async function openSlow() {
    const syncs: PromiseWithResolvers<void>[] = [];
    let isTestOver = false;
    const { db, path } = await openSqliteFile({ slowSyncMs: 0 }, () => {
      const sync = Promise.withResolvers<void>();
      syncs.push(sync);
      if (isTestOver) sync.resolve();
      return sync.promise;
    });
    onTestFinished(() => {
      isTestOver = true;
      for (const sync of syncs) sync.resolve();
    });
    // Opening the database waits for the disk as well.
    await leaseNames(db);
    return { db, path, syncs };
  }

  async function turnsOfLoop(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  }

  it('a transaction returns when the log is on disk and not before, and reads and other transactions go on meanwhile', async () => {
    const { db, syncs } = await openSlow();
    const answered: string[] = [];
    const note = (name: string) => () => void answered.push(name);
    const first = adding(db, '1').then(note('1'));
    await turnsOfLoop();
    const second = adding(db, '2').then(note('2'));
    const third = addLease(db, '3').then(note('3'));
    await turnsOfLoop();
    expect(await leaseNames(db)).toEqual(['1', '2', '3']);
    expect(answered).toEqual([]);
    syncs[0]?.resolve();
    await first;
    // The first sync began before the others were in the log.
    await turnsOfLoop();
    expect(answered).toEqual(['1']);
    syncs[1]?.resolve();
    await Promise.all([second, third]);
    expect(syncs).toHaveLength(2);
  });

  it('a deferred transaction does not wait for it', async () => {
    const { db, syncs } = await openSlow();
    await inTransaction(db, (trx) => addLease(trx, '1'), { isDeferred: true });
    expect(syncs).toEqual([]);
  });

  it('all that wait for a sync that fails get its error, and the next one is not done before the log is in the database', async () => {
    const { db, path, syncs } = await openSlow();
    const failing = adding(db, '1');
    await turnsOfLoop();
    const next = adding(db, '2');
    await turnsOfLoop();
    syncs[0]?.reject(Object.assign(new Error('the disk failed'), { code: 'EIO' }));
    expect(await Promise.all([failing, next].map(codeOf))).toEqual(['EIO', 'EIO']);

    const reader = new SqliteDatabase(path);
    onTestFinished(() => void reader.close());
    reader.exec('begin; select * from leases');
    const later = adding(db, '3');
    await turnsOfLoop();
    expect(await leaseNames(db)).toEqual(['1', '2']);
    reader.exec('commit');
    await vi.waitFor(() => expect(syncs).toHaveLength(2));
    // What was doubtful is no longer in the log.
    expect(await countCommits(path)).toBe(1);
    syncs[1]?.resolve();
    await later;
    expect(await leaseNames(db)).toEqual(['1', '2', '3']);
  });

  it('the commit itself waits for the disk if the log cannot be opened, as without a free file descriptor', async () => {
    const { db, path, syncs } = await openSlow();
    await rename(`${path}-wal`, `${path}-moved`);
    onTestFinished(() => rename(`${path}-moved`, `${path}-wal`));
    await adding(db, '1');
    expect(await leaseNames(db)).toEqual(['1']);
    expect(syncs).toEqual([]);
  });

  it('the database is closed after the last sync', async () => {
    const { db, syncs } = await openSlow();
    const work = adding(db, '1');
    await turnsOfLoop();
    let isClosed = false;
    const closed = db.destroy().then(() => {
      isClosed = true;
    });
    await turnsOfLoop();
    expect(isClosed).toBe(false);
    syncs[0]?.resolve();
    await Promise.all([work, closed]);
  });
});

describe('another writing process', () => {
  /** A file whose write lock another connection holds until it is told to release it. */
  async function openHeld(bounds?: Partial<SqliteBounds>): Promise<{ db: Db; letGo(): void }> {
    const { db, path } = await openSqliteFile(bounds);
    const other = new SqliteDatabase(path);
    onTestFinished(() => void other.close());
    other.exec(`begin immediate; insert into leases values ('other', '', 0)`);
    return { db, letGo: () => other.exec('commit') };
  }

  it('is waited for while everything else continues, including reads', async () => {
    const { db, letGo } = await openHeld();
    const works = [adding(db, '1'), addLease(db, '2'), sql`create table more (x)`.execute(db)];
    expect(await leaseNames(db)).toEqual([]);
    letGo();
    await Promise.all(works);
    // SQLite itself would block the event loop.
    expect((await sql`pragma busy_timeout`.execute(db)).rows).toEqual([{ timeout: 0 }]);
    expect(await leaseNames(db)).toEqual(['1', '2', 'other']);
  });

  it('that holds the lock too long fails all that have waited that long with SQLITE_BUSY, and later ones get their turn', async () => {
    const { db, letGo } = await openHeld({ patienceMs: 100 });
    const works = [adding(db, '1'), addLease(db, '2'), sql`create table more (x)`.execute(db)];
    expect(await Promise.all(works.map(codeOf))).toEqual(['SQLITE_BUSY', 'SQLITE_BUSY', 'SQLITE_BUSY']);
    const later = addLease(db, '3');
    letGo();
    await later;
    expect(await leaseNames(db)).toEqual(['3', 'other']);
  });
});
