import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Db, Executor } from '#db/client.ts';
import { preparedQuery } from '#db/prepared-query.ts';
import { inTransaction } from '#db/transaction.ts';
import { newId } from '#server/ids.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { engine } from '#tests/support/runner/engine.ts';

async function prepare(): Promise<{ db: Db; a: string; b: string }> {
  const { db } = await createTestApp();
  const owned = { features: '[]', created_at: 0, updated_at: 0 };
  const [a, b] = [newId(), newId()];
  const first = { ...owned, id: a, external_id: 'org-a', name: 'First' };
  const second = { ...owned, id: b, external_id: 'org-b', name: 'Second' };
  await db.insertInto('organizations').values([first, second]).execute();
  return { db, a, b };
}

it('is compiled once, and runs with the values of each call', async () => {
  const { db, a, b } = await prepare();
  let writings = 0;
  const find = preparedQuery((executor, name: string, id: string) => {
    writings += 1;
    return executor
      .selectFrom('organizations')
      .select(['id', 'name'])
      .where('created_at', '=', 0)
      .where('id', '=', id)
      .where((eb) => eb.or([eb('name', '=', name), eb('external_id', '=', name)]));
  });
  expect(await find(db, 'First', a)).toEqual([{ id: a, name: 'First' }]);
  expect(await find(db, 'org-b', b)).toEqual([{ id: b, name: 'Second' }]);
  expect(await find(db, 'First', b)).toEqual([]);
  const inside = await inTransaction(db, async (trx) => {
    await trx.updateTable('organizations').set({ name: 'Third' }).where('id', '=', a).execute();
    return find(trx, 'Third', a);
  });
  expect(inside).toEqual([{ id: a, name: 'Third' }]);
  expect(writings).toBe(1);
});

describe.runIf(engine === 'postgres')('at a PostgreSQL server', () => {
  const find = preparedQuery((executor, id: string) =>
    executor.selectFrom('organizations').selectAll().where('id', '=', id),
  );

  /** Queries sent one after the other use the same connection of a pool. */
  async function countKept(executor: Executor): Promise<number> {
    const { rows } = await sql`select name from pg_prepared_statements`.execute(executor);
    return rows.length;
  }

  it('is parsed once per connection, and sent in full inside a transaction', async () => {
    const { db, a, b } = await prepare();
    const kept = await inTransaction(db, async (trx) => {
      expect(await find(trx, a)).toHaveLength(1);
      return countKept(trx);
    });
    expect(kept).toBe(0);
    for (const id of [a, b, a]) expect(await find(db, id)).toHaveLength(1);
    expect(await countKept(db)).toBe(1);
  });

  it('still works when connections keep nothing, as behind a pooler', async () => {
    const { db, a, b } = await prepare();
    await find(db, a);
    await sql`deallocate all`.execute(db);
    for (const id of [a, b]) expect(await find(db, id)).toMatchObject([{ id }]);
    expect(await countKept(db)).toBe(0);
  });

  it('returns a column that was added in the meantime', async () => {
    const { db, a } = await prepare();
    await find(db, a);
    await sql`alter table organizations add column colour text default 'red'`.execute(db);
    expect(await find(db, a)).toMatchObject([{ id: a, colour: 'red' }]);
  });
});
