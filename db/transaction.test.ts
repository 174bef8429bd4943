import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Executor, isPostgres } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';

/** Whether a commit on this connection waits for the disk. */
async function waitsForDisk(executor: Executor): Promise<boolean> {
  if (isPostgres(executor)) {
    const { rows } = await sql<{ synchronous_commit: string }>`show synchronous_commit`.execute(executor);
    return rows[0]?.synchronous_commit !== 'off';
  }
  const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(executor);
  return (rows[0]?.synchronous ?? 0) >= 2;
}

describe('a commit', () => {
  it('waits for the disk', async () => {
    const { db } = await createTestApp();
    expect(await waitsForDisk(db)).toBe(true);
    expect(await inTransaction(db, waitsForDisk)).toBe(true);
  });

  it('that is deferred does not, and every later one does again', async () => {
    const { db } = await createTestApp();
    expect(await inTransaction(db, waitsForDisk, { isDeferred: true })).toBe(false);
    expect(await inTransaction(db, waitsForDisk)).toBe(true);
    const failing = inTransaction(db, () => Promise.reject(new Error('no')), { isDeferred: true });
    await expect(failing).rejects.toThrow('no');
    expect(await inTransaction(db, waitsForDisk)).toBe(true);
  });

  it('that is deferred is visible to everyone, and does not change how others commit meanwhile', async () => {
    const { db } = await createTestApp();
    const deferred = inTransaction(
      db,
      async (trx) => {
        await trx.insertInto('leases').values({ name: 'x', holder: 'a', expires_at: 1 }).execute();
      },
      { isDeferred: true },
    );
    const [, waits] = await Promise.all([deferred, inTransaction(db, waitsForDisk)]);
    expect(waits).toBe(true);
    const rows = await db.selectFrom('leases').select('holder').where('name', '=', 'x').execute();
    expect(rows).toEqual([{ holder: 'a' }]);
  });
});
