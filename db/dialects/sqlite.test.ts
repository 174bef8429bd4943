import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';

it('a transaction that the full disk ends says so, leaves nothing behind, and the next one works', async () => {
  const db = openDatabase('sqlite::memory:');
  try {
    await sql`create table notes (text text not null)`.execute(db);
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
    const limit = (pages: number) => sql.raw(`pragma max_page_count = ${pages}`).execute(db);
    await limit((rows[0]?.page_count ?? 0) + 2);
    const write = (bytes: number) =>
      inTransaction(db, async (trx) => {
        await sql`insert into notes values ('small')`.execute(trx);
        await sql`insert into notes values (${'x'.repeat(bytes)})`.execute(trx);
      });
    await expect(write(1_000_000)).rejects.toMatchObject({ code: 'SQLITE_FULL' });
    await limit(1_000_000);
    await write(1);
    const counted = await sql<{ count: number }>`select count(*) as count from notes`.execute(db);
    expect(counted.rows).toEqual([{ count: 2 }]);
  } finally {
    await db.destroy();
  }
});
