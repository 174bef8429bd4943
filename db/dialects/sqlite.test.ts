import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Db, type Executor, openDatabase } from '#db/client.ts';
import { MIGRATIONS } from '#db/migrations/index.ts';
import { inTransaction } from '#db/transaction.ts';
import { addLease, leaseNames, openAgain, openSqliteFile } from '#tests/support/app/sqlite-file.ts';
import { createTestDatabase } from '#tests/support/app/test-database.ts';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { watchSyncs } from '#tests/support/server/watch-syncs.ts';
import { deferCommits } from './sqlite.ts';

const MESSAGE_OF_READERS = 'This process only reads the database.';

it('the name of the log has survived a power cut when the database is open, whichever process has created it', async () => {
  const { path } = await openSqliteFile();
  const { keepsName } = await watchSyncs();
  // It creates the log, and never commits.
  const other = new SqliteDatabase(path);
  onTestFinished(() => void other.close());
  other.exec('select * from leases');
  await addLease(openAgain(`sqlite:${path}`), 'name');
  expect(keepsName(`${path}-wal`)).toBe(true);
});

describe('a full disk', () => {
  const limit = (db: Executor, pages: number) => sql.raw(`pragma max_page_count = ${pages}`).execute(db);
  const fill = (db: Executor) => sql`insert into leases values (${'x'.repeat(1_000_000)}, '', 0)`.execute(db);

  it('ends a transaction with an error and leaves nothing behind, and the next one works', async () => {
    const db = openAgain('sqlite::memory:');
    await sql`create table leases (name text not null, holder text, expires_at integer)`.execute(db);
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
    await limit(db, (rows[0]?.page_count ?? 0) + 2);
    const full = inTransaction(db, async (trx) => {
      await addLease(trx, 'small');
      await fill(trx);
    });
    await expect(full).rejects.toMatchObject({ code: 'SQLITE_FULL' });
    await limit(db, 1_000_000);
    await addLease(db, 'next');
    expect(await leaseNames(db)).toEqual(['next']);
  });

  it('ends one of several in a commit, and each of the others is complete or fails with an error', async () => {
    const { db } = await openSqliteFile();
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
    await limit(db, (rows[0]?.page_count ?? 0) + 2);
    const works = [
      ['1', inTransaction(db, (trx) => addLease(trx, '1'))],
      ['full', inTransaction(db, (trx) => addLease(trx, 'full').then(() => fill(trx)))],
      ['2', inTransaction(db, (trx) => addLease(trx, '2'))],
    ] as const;
    const done: string[] = [];
    const answers = works.map(([name, work]) =>
      work.then(
        () => done.push(name),
        (error: unknown) => expect(error).toMatchObject({ code: 'SQLITE_FULL' }),
      ),
    );
    await Promise.all(answers);
    expect(done).not.toContain('full');
    expect(await leaseNames(db)).toEqual(done);
    await limit(db, 1_000_000);
    await addLease(db, 'next');
    expect(await leaseNames(db)).toEqual([...done, 'next']);
  });
});

describe('a read outside transactions', () => {
  it('does not wait for an open transaction, and sees none of its changes', async () => {
    const { db } = await openSqliteFile();
    await inTransaction(db, async (trx) => {
      await addLease(trx, '1');
      expect(await leaseNames(db)).toEqual([]);
      expect(await leaseNames(trx)).toEqual(['1']);
    });
    expect(await leaseNames(db)).toEqual(['1']);
  });

  it('sees every write that returned before it, in a transaction or not', async () => {
    const { db } = await openSqliteFile();
    for (const name of ['1', '3', '5', '7']) {
      await inTransaction(db, (trx) => addLease(trx, name));
      expect(await leaseNames(db)).toContain(name);
      const after = `${name}.`;
      await sql`insert into leases values (${after}, '', 0)`.execute(db);
      expect(await leaseNames(db)).toContain(after);
      await db.updateTable('leases').set({ holder: 'me' }).where('name', '=', name).execute();
      const row = db.selectFrom('leases').select('holder').where('name', '=', name);
      expect(await row.executeTakeFirst()).toEqual({ holder: 'me' });
    }
  });

  it('of a database in memory waits for the open transaction', async () => {
    const db = openAgain('sqlite::memory:');
    await sql`create table leases (name text, holder text, expires_at integer)`.execute(db);
    const written = inTransaction(db, async (trx) => {
      await addLease(trx, '1');
      await setImmediate();
      await addLease(trx, '2');
    });
    expect(await leaseNames(db)).toEqual(['1', '2']);
    await written;
  });
});

describe('connections that are used again', () => {
  /** Returns a connection after work with it. */
  const connectionAfter = (db: Db, work: (own: Kysely<never>) => Promise<unknown>) =>
    db.connection().execute(async (own) => {
      await work(own as unknown as Kysely<never>);
      return own.getExecutor().provideConnection(async (connection) => connection);
    });
  const nothing = async () => undefined;
  const read = (own: Kysely<never>) => sql`select 1`.execute(own);

  it('are those that have only read, one user at a time', async () => {
    const { db } = await openSqliteFile();
    const first = await connectionAfter(db, read);
    expect(await connectionAfter(db, read)).toBe(first);
    const [one, other] = await Promise.all([
      connectionAfter(db, () => setImmediate()),
      connectionAfter(db, read),
    ]);
    expect(one).not.toBe(other);
    const deferring = await connectionAfter(db, (own) => own.getExecutor().provideConnection(deferCommits));
    expect([one, other]).toContain(deferring);
    const committed = await connectionAfter(db, (own) => own.transaction().execute(nothing));
    expect(await connectionAfter(db, read)).not.toBe(deferring);
    expect(await connectionAfter(db, read)).not.toBe(committed);
  });

  it('mix neither reads with transactions nor one transaction with another', async () => {
    const { db } = await openSqliteFile();
    const random = seededRandom(5);
    for (const name of ['one', 'other']) await addLease(db, name);
    const sums = new Set<number>();
    const sum = async () => {
      const rows = await db.selectFrom('leases').select('expires_at').execute();
      sums.add(rows.reduce((total, { expires_at }) => total + Number(expires_at), 0));
    };
    const move = async (trx: Executor, isFailing: boolean) => {
      const add = (name: string, amount: number) =>
        trx
          .updateTable('leases')
          .set(({ eb }) => ({ expires_at: eb('expires_at', '+', amount) }))
          .where('name', '=', name)
          .execute();
      await add('one', 7);
      await setImmediate();
      if (isFailing) throw new Error('not this one');
      await add('other', -7);
    };
    const worker = async () => {
      for (let step = 0; step < 30; step += 1) {
        const kind = random.below(6);
        if (kind < 3) await sum();
        else {
          const moving = inTransaction(db, (trx) => move(trx, kind === 3), { isDeferred: kind === 4 });
          await moving.catch((error: Error) => expect(error.message).toBe('not this one'));
        }
      }
    };
    await sum();
    await Promise.all(Array.from({ length: 20 }, worker));
    await sum();
    expect(sums.size).toBe(1);
  });
});

describe('a statement that is neither a read nor a change by its form', () => {
  it('runs on the writing connection, between transactions', async () => {
    const { db } = await openSqliteFile();
    const name = sql<{ name: string }>`with named(name) as (values ('1'))
      insert into leases select name, '', 0 from named where true returning name`;
    expect((await name.execute(db)).rows).toEqual([{ name: '1' }]);
    await Promise.all([
      inTransaction(db, (trx) => addLease(trx, '2')),
      sql`vacuum`.execute(db),
      inTransaction(db, (trx) => addLease(trx, '3')),
      sql`pragma foreign_keys = off`.execute(db),
    ]);
    expect((await sql`pragma foreign_keys`.execute(db)).rows).toEqual([{ foreign_keys: 0 }]);
    expect((await sql`explain query plan select 1`.execute(db)).rows).toHaveLength(1);
    expect(await leaseNames(db)).toEqual(['1', '2', '3']);
  });

  it('does not begin a transaction that others would join', async () => {
    const { db } = await openSqliteFile();
    for (const statement of ['begin', 'begin immediate', 'savepoint mine']) {
      await expect(sql.raw(statement).execute(db)).rejects.toThrow('begins with db.transaction()');
    }
    await addLease(db, '1');
    expect(await leaseNames(db)).toEqual(['1']);
  });

  it('is not streamed', async () => {
    const { db } = await openSqliteFile();
    const stream = db.selectFrom('leases').selectAll().stream();
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow('not streamed');
  });
});

it('a transaction’s savepoints are its own', async () => {
  const { db } = await openSqliteFile();
  const add = async (name: string) => {
    const trx = await db.startTransaction().execute();
    await addLease(trx, name);
    const inner = await trx.savepoint('member').execute();
    await addLease(inner, `${name} undone`);
    await inner.rollbackToSavepoint('member').execute();
    await inner.releaseSavepoint('member').execute();
    await trx.commit().execute();
  };
  await Promise.all([add('1'), add('2')]);
  expect(await leaseNames(db)).toEqual(['1', '2']);
});

describe('a database opened read-only', () => {
  it('is read while another process writes, and rejects every write', async () => {
    const { db, path } = await openSqliteFile();
    await addLease(db, '1');
    const reader = openAgain(`sqlite:${path}`, { isReadOnly: true });
    const other = new SqliteDatabase(path);
    onTestFinished(() => void other.close());
    other.exec('begin exclusive');
    expect(await leaseNames(reader)).toEqual(['1']);
    await expect(addLease(reader, '2')).rejects.toThrow(MESSAGE_OF_READERS);
    await expect(sql`delete from leases`.execute(reader)).rejects.toThrow(MESSAGE_OF_READERS);
    await expect(inTransaction(reader, leaseNames)).rejects.toThrow(MESSAGE_OF_READERS);
  });

  it('is readable when no process has opened it before, and locks no one out', async () => {
    const { db, path } = await openSqliteFile();
    await addLease(db, '1');
    await db.destroy();
    const reader = openAgain(`sqlite:${path}`, { isReadOnly: true });
    expect(await leaseNames(reader)).toEqual(['1']);
    await addLease(openAgain(`sqlite:${path}`), '2');
    expect(await leaseNames(reader)).toEqual(['1', '2']);
  });
});

describe('migrations', () => {
  const migrate = (db: Db, isFailing = false) => {
    const up = async (changing: Kysely<unknown>) => {
      await changing.schema.createTable('added').addColumn('text', 'text').execute();
      await setImmediate();
      if (isFailing) throw new Error('not today');
    };
    const provider = { getMigrations: async () => ({ ...MIGRATIONS, '9999-added': { up } }) };
    return new Migrator({ db, provider }).migrateToLatest();
  };

  it('run once when two processes start at the same time', async () => {
    const { db, path } = await openSqliteFile();
    const both = await Promise.all([db, openAgain(`sqlite:${path}`)].map((each) => migrate(each)));
    expect(both.map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(both.flatMap(({ results = [] }) => results.map(({ migrationName }) => migrationName))).toEqual([
      '9999-added',
    ]);
  });

  it('leave nothing half-done when one fails', async () => {
    const { db } = await openSqliteFile();
    const { error } = await migrate(db, true);
    expect(error).toMatchObject({ message: 'not today' });
    const tables = await db.introspection.getTables();
    expect(tables.map(({ name }) => name)).not.toContain('added');
  });
});

it('pending writes are written when the database is closed', async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const db = openDatabase(url);
  await addLease(db, '0');
  const works = ['1', '2'].map((name) => inTransaction(db, (trx) => addLease(trx, name)));
  await Promise.all([db.destroy(), ...works]);
  expect(await leaseNames(openAgain(url))).toEqual(['0', '1', '2']);
});

it('a killed process leaves everything that it had acknowledged, and nothing half-done', async () => {
  const { db, path } = await openSqliteFile();
  const program = ['tests/support/app/write-without-end.ts', `sqlite:${path}`];
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const acknowledged: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    acknowledged.push(line);
    if (acknowledged.length === 300) child.kill('SIGKILL');
  }
  expect(await ended).toEqual([null, 'SIGKILL']);
  const names = new Set(await leaseNames(db));
  expect(acknowledged.filter((number) => !names.has(`${number}a`))).toEqual([]);
  const halves = [...names].filter(
    (name) => !names.has(name.replace(/.$/, (half) => (half === 'a' ? 'b' : 'a'))),
  );
  expect(halves).toEqual([]);
});

it('many commits are copied from the log into the database without any of them doing the copying', async () => {
  const { db, path } = await openSqliteFile();
  const { size } = await stat(path);
  const text = 'x'.repeat(10_000);
  // A tenth of the log at which SQLite copies on its own.
  for (let count = 0; count < 200; count += 1) {
    await inTransaction(db, (trx) => addLease(trx, `${count}${text}`));
  }
  await expect.poll(async () => (await stat(path)).size, { timeout: 10_000 }).toBeGreaterThan(size + 500_000);
});
