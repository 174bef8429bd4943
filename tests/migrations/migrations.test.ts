import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { type Db, openDatabase } from '#db/client.ts';
import { migrateToLatest } from '#db/migrate.ts';
import { MIGRATIONS } from '#db/migrations/index.ts';
import { createTestDatabase } from '#tests/support/app/test-database.ts';

let db: Db | undefined;
let drop: (() => Promise<void>) | undefined;
afterEach(async () => {
  await db?.destroy();
  await drop?.();
  db = undefined;
  drop = undefined;
});

describe('the migrations', () => {
  it('migrate an empty database to the newest schema, once', async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    db = openDatabase(database.url);
    expect(await migrateToLatest(db)).toEqual([]);
    const tables = await db.introspection.getTables();
    expect(tables.map((table) => table.name)).toEqual(
      expect.arrayContaining(['sites', 'site_versions', 'audit_events']),
    );
  });

  it('are numbered without gaps', () => {
    const numbers = Object.keys(MIGRATIONS).map((name) => Number(name.slice(0, 4)));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  it.skipIf(process.env.TEST_DATABASE === 'postgres')(
    'find what is removed by its age or planned too late, without a look at the rest',
    async () => {
      const database = await createTestDatabase();
      drop = database.drop;
      db = openDatabase(database.url);
      for (const [table, condition] of [
        ['idempotency_keys', 'created_at <= 0'],
        ['outgoing_mails', 'created_at <= 0'],
        ['identity_accounts', 'awaits_verification = 1 and created_at <= 0'],
        ['certificate_bundles', 'renew_at > valid_until and renew_at > 0'],
      ]) {
        const query = `explain query plan select 1 from ${table} where ${condition} limit 500`;
        const { rows } = await sql.raw<{ detail: string }>(query).execute(db);
        expect(rows[0]?.detail, table).toContain('SEARCH');
      }
    },
  );

  it('give every table that belongs to an organization its organization', async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    db = openDatabase(database.url);
    const shared = new Set([
      // Belong to a person, to the installation, or to a parent row with the organization.
      'users',
      'sessions',
      'identity_accounts',
      'identity_payloads',
      'installation_values',
      'leases',
      'blobs',
      'rule_sets',
      'edge_changes',
      'idempotency_keys',
      'version_files',
      'credential_scopes',
      'organizations',
      'identity_clients',
      'identity_mail_links',
      'identity_recovery_codes',
      'identity_passkeys',
      'identity_totp',
      'used_identity_tokens',
      'operator_tokens',
      'outgoing_mails',
      'sign_in_grants',
      'acme_accounts',
      'certificate_orders',
      'challenge_values',
      'usage_hours',
      'usage_days',
      'usage_paths',
      'usage_cursors',
      'stuck_work',
      'machines',
      'invoice_lines',
      'invoice_taxes',
      // Belong to their bucket, and to no one once unreferenced.
      'objects',
      'object_uploads',
      'object_pieces',
      'bucket_changes',
      'bucket_emptyings',
      'upload_abandonments',
      'removed_pieces',
      // Belong to the payment provider.
      'webhook_events',
      'sandbox_objects',
      'sandbox_answers',
    ]);
    const owned = (await db.introspection.getTables()).filter((table) => !shared.has(table.name));
    for (const table of owned) {
      expect(
        table.columns.map((column) => column.name),
        table.name,
      ).toContain('organization_id');
    }
  });
});
