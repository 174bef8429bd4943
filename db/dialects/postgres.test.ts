import { setImmediate as nextTurn } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { afterEach, expect, it } from 'vitest';
import { runForAsker } from '#db/asker.ts';
import type { Db, Executor } from '#db/client.ts';
import { createPostgresDialect, VISITOR_BOUNDS } from '#db/dialects/postgres.ts';
import { ATTEMPTS } from '#db/dialects/server-pulse.ts';
import type { Database } from '#db/schema/database.ts';
import { toAppError } from '#server/errors.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { type DatabaseProxy, startDatabaseProxy } from '#tests/support/server/database-proxy.ts';

// Long enough for a busy machine to connect, and a tenth of the real ones.
const BOUNDS = {
  connectionMs: 3_000,
  statementMs: 1_000,
  lockMs: 500,
  idleTransactionMs: 500,
  answerMs: 2_000,
  pulse: { patienceMs: 60_000, answerMs: 1_000, againMs: 100 },
};
/** No statement timeout here: an unresponsive server is detected by its pulse. */
const PULSE_ONLY = {
  connectionMs: 5_000,
  statementMs: 60_000,
  lockMs: 60_000,
  idleTransactionMs: 60_000,
  answerMs: 60_000,
  pulse: { patienceMs: 200, answerMs: 500, againMs: 100 },
};
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open(
  bounds = BOUNDS,
  place?: { databaseUrl: string },
): Promise<{ db: Db; proxy: DatabaseProxy; databaseUrl: string }> {
  const { databaseUrl } = place ?? (await createTestApp()).config;
  const proxy = await startDatabaseProxy(databaseUrl);
  const db = new Kysely<Database>({ dialect: createPostgresDialect(proxy.url, bounds) });
  ends.push(() => proxy.close());
  ends.push(() => db.destroy());
  return { db, proxy, databaseUrl };
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => toAppError(error).code,
  );

it('a database that stops responding causes 503 instead of hanging, and works again once it responds', async () => {
  const { db, proxy } = await open();
  const ask = () => sql`select 1`.execute(db);
  await Promise.all(Array.from({ length: 4 }, ask));
  proxy.isSilent = true;
  const inside = db.transaction().execute(async (trx) => {
    await sql`select 1`.execute(trx);
  });
  const codes = await Promise.all([inside, ...Array.from({ length: 15 }, ask)].map(codeOf));
  expect(new Set(codes)).toEqual(new Set(['service_unavailable']));
  proxy.isSilent = false;
  const again = await Promise.all(Array.from({ length: 15 }, () => codeOf(ask())));
  expect(new Set(again)).toEqual(new Set(['done']));
  const { rows } = await sql<{ state: string }>`
    select state from pg_stat_activity where datname = current_database() and state like 'idle in%'`.execute(
    db,
  );
  expect(rows, 'no transaction is left open').toEqual([]);
});

it('a statement that never ends is cancelled by the server, and is 503', async () => {
  const world = await open();
  expect(await codeOf(sql`select pg_sleep(20)`.execute(world.db))).toBe('service_unavailable');
  expect(await codeOf(sql`select 1`.execute(world.db))).toBe('done');
});

/** Holds a lock that every change of leases waits for, until the returned function is called. */
async function lockLeases(db: Db): Promise<() => Promise<void>> {
  const { promise: isEnough, resolve: end } = Promise.withResolvers<void>();
  const { promise: isLocked, resolve: begin } = Promise.withResolvers<void>();
  const held = db.connection().execute(async (connection) => {
    // Whoever holds it is no process of ours.
    await sql`set idle_in_transaction_session_timeout = 0`.execute(connection);
    await connection.transaction().execute(async (trx) => {
      await sql`lock table leases in share mode`.execute(trx);
      begin();
      await isEnough;
    });
  });
  await isLocked;
  return () => {
    end();
    return held;
  };
}

const writeLease = (db: Executor, name: string) =>
  sql`insert into leases values (${name}, 'node', 1) on conflict do nothing`.execute(db);

it('what waits for a lock is 503 before its statement would be cancelled, and one who asks for much of it leaves connections for others', async () => {
  const place = await open({ ...BOUNDS, statementMs: 60_000, answerMs: 60_000 });
  const { db } = place;
  const unlock = await lockLeases((await open(BOUNDS, place)).db);
  const waiting = runForAsker('one', () =>
    Array.from({ length: 30 }, (_, each) => codeOf(writeLease(db, `${each}`))),
  );
  let ended = 0;
  for (const each of waiting) void each.then(() => ended++);
  for (let request = 0; request < 5; request += 1) {
    expect(await runForAsker('two', () => codeOf(sql`select 1`.execute(db)))).toBe('done');
  }
  expect(ended, 'others did not wait for them').toBeLessThan(waiting.length);
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['service_unavailable']));
  await unlock();
  expect(await codeOf(writeLease(db, 'after'))).toBe('done');
});

it('a transaction whose process is cut off keeps its locks for moments, not for hours', async () => {
  const place = await open();
  const { db, proxy } = place;
  const other = await open(BOUNDS, place);
  const { promise: hasWritten, resolve: noteWritten } = Promise.withResolvers<void>();
  const cutOff = db.transaction().execute(async (trx) => {
    await writeLease(trx, 'cut off');
    noteWritten();
    await new Promise((resolve) => setTimeout(resolve, 10));
    await sql`select 1`.execute(trx);
  });
  await hasWritten;
  proxy.isSilent = true;
  expect(await codeOf(cutOff)).toBe('service_unavailable');
  await expect.poll(() => codeOf(writeLease(other.db, 'cut off')), { timeout: 20_000 }).toBe('done');
});

it('a silent server is told apart from a slow statement: waiting requests fail within moments, later ones at once, a slow statement completes', async () => {
  const { db, proxy } = await open(PULSE_ONLY);
  const ask = () => sql`select 1`.execute(db);
  expect(await codeOf(sql`select pg_sleep(3)`.execute(db)), 'longer than the patience').toBe('done');
  await Promise.all(Array.from({ length: 4 }, ask));
  proxy.isSilent = true;
  const inside = db.transaction().execute(async (trx) => {
    await sql`select 1`.execute(trx);
  });
  // More than there are connections.
  const first = await Promise.all([inside, ...Array.from({ length: 15 }, ask)].map(codeOf));
  expect(new Set(first)).toEqual(new Set(['service_unavailable']));
  // No query waits in vain: it fails within turns of the event loop, and those wait for nothing.
  const later = codeOf(ask());
  const turns = (async () => {
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    return 'still waiting';
  })();
  expect(await Promise.race([later, turns])).toBe('service_unavailable');
  proxy.isSilent = false;
  await expect.poll(() => codeOf(ask()), { timeout: 20_000 }).toBe('done');
  const again = await Promise.all(Array.from({ length: 15 }, () => codeOf(ask())));
  expect(new Set(again)).toEqual(new Set(['done']));
});

it('a connection that was opened while writes were refused is not used after one', async () => {
  const { db } = await open();
  const write = () =>
    codeOf(sql`insert into leases values ('one', 'node', 1) on conflict do nothing`.execute(db));
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
  const allow = (value: 'on' | 'off') =>
    sql`alter database ${sql.id(rows[0]?.name ?? '')} set default_transaction_read_only = ${sql.lit(value)}`;
  await db.connection().execute(async (connection) => {
    await allow('on').execute(connection);
    // Other connections are opened from now on.
    expect(new Set(await Promise.all([write(), write(), write()]))).toEqual(new Set(['service_unavailable']));
    expect(await Promise.all([1, 2, 3].map(() => codeOf(sql`select 1`.execute(db))))).not.toContain(
      'internal',
    );
    await allow('off').execute(connection);
  });
  const after = await Promise.all(Array.from({ length: 9 }, write));
  expect(after).not.toContain('internal');
  expect(await Promise.all(Array.from({ length: 9 }, write))).toEqual(Array(9).fill('done'));
});

it('after the server went away and came back, no dead connection is used', async () => {
  const { db, proxy } = await open(PULSE_ONLY);
  const ask = () => codeOf(sql`select 1`.execute(db));
  await ask();
  await proxy.goAway();
  expect(await ask()).toBe('service_unavailable');
  await proxy.comeBack();
  await expect.poll(ask, { timeout: 20_000 }).toBe('done');
});

it('an edge knows of a silent server before a visitor has waited three seconds', () => {
  const { patienceMs, answerMs } = VISITOR_BOUNDS.pulse;
  expect(patienceMs + ATTEMPTS * answerMs).toBeLessThanOrEqual(3_000);
});
