import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { readsOnly } from './reads-only.ts';

const REFUSED = 'This process only reads the database.';

describe('the database of an edge', () => {
  it('can be read', async () => {
    const { db } = await createTestApp();
    const reader = readsOnly(db);
    const rows = await reader.selectFrom('installation_values').select('name').execute();
    expect(rows.length).toBeGreaterThan(0);
    await sql`select 1`.execute(reader);
  });

  it('rejects every write', async () => {
    const { db } = await createTestApp();
    const reader = readsOnly(db);
    const value = { name: 'n', value: 'v', created_at: 0 };
    await expect(reader.insertInto('installation_values').values(value).execute()).rejects.toThrow(REFUSED);
    await expect(reader.updateTable('leases').set({ holder: 'x' }).execute()).rejects.toThrow(REFUSED);
    await expect(reader.deleteFrom('leases').execute()).rejects.toThrow(REFUSED);
    await expect(sql`delete from leases`.execute(reader)).rejects.toThrow(REFUSED);
    await expect(sql`select pg_advisory_lock(1)`.execute(reader)).rejects.toThrow(REFUSED);
    await expect(reader.selectFrom('leases').select('name').forUpdate().execute()).rejects.toThrow(REFUSED);
    const inTransaction = reader
      .transaction()
      .execute((trx) => trx.insertInto('installation_values').values(value).execute());
    await expect(inTransaction).rejects.toThrow(REFUSED);
  });
});
