import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { afterEach, describe, expect, it } from 'vitest';
import { type Db, openDatabase } from '#db/client.ts';
import { migrateToLatest } from '#db/migrate.ts';
import { MIGRATIONS } from '#db/migrations/index.ts';
import { hashSessionId } from '#server/auth/session-adapter.ts';
import { createSessions } from '#server/auth/sessions.ts';
import { listOrganizations } from '#server/services/organizations/list-organizations.ts';
import { resolveOrganization } from '#server/services/organizations/resolve-organization.ts';
import { createEdgePorts } from '#server/services/serving/edge-ports.ts';
import { listSites } from '#server/services/sites/list-sites.ts';
import { getUsageOverview } from '#server/services/usage/get-usage-overview.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestDatabase } from '#tests/support/app/test-database.ts';
import { countUsage, usageRow } from '#tests/support/usage/usage-batches.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const AT = Date.UTC(2026, 1, 1);
const SESSION_TOKEN = 'k3'.repeat(20);

const REDIRECT_RULES = '[{"from":"/old","to":"/new","status":301,"forced":false,"lineNumber":1}]';

/** One row of each important table, as written by the first release. */
const FIRST_RELEASE: Record<string, Record<string, unknown>> = {
  users: {
    id: 'user',
    issuer: 'embedded',
    subject: '1',
    login: 'ada',
    full_name: 'Ada Lovelace',
    email: 'ada@example.ca',
    avatar_url: null,
    language_preference: 'fr-CA',
    created_at: AT,
    updated_at: AT,
  },
  organizations: {
    id: 'organization',
    external_id: 'personal-1',
    name: 'Ada Lovelace',
    description: null,
    website: null,
    location: null,
    avatar_url: null,
    features: '["object_storage"]',
    created_at: AT,
    updated_at: AT,
  },
  memberships: { organization_id: 'organization', user_id: 'user', permission: 'owner', created_at: AT },
  sessions: {
    id: hashSessionId(SESSION_TOKEN),
    user_id: 'user',
    organization_id: 'organization',
    expires_at: AT + 60 * 86_400_000,
    absolute_expires_at: AT + 90 * 86_400_000,
    created_at: AT,
    last_used_at: AT,
    address: '192.0.2.1',
    user_agent: 'test',
    identity_session: null,
    id_token_sealed: null,
  },
  identity_accounts: {
    number: 1,
    email: 'ada@example.ca',
    email_key: 'ada@example.ca',
    login: 'ada',
    login_key: 'ada',
    full_name: 'Ada Lovelace',
    password_hash: 'hash',
    avatar_url: null,
    language: null,
    created_at: AT,
    updated_at: AT,
  },
  sites: {
    id: 'site',
    organization_id: 'organization',
    name: 'Blog',
    name_key: 'blog',
    subdomain: 'blog',
    current_version_id: 'version',
    spa_fallback: 0,
    created_at: AT,
    updated_at: AT,
    deleted_at: null,
  },
  site_versions: {
    id: 'version',
    organization_id: 'organization',
    site_id: 'site',
    number: 1,
    message: null,
    source: 'cli',
    created_by: 'ada',
    created_at: AT,
    touched_at: AT,
    sealed_at: AT,
    reverted_at: null,
    published_at: AT,
    replaced_at: null,
    file_count: 1,
    total_bytes: 4,
    redirect_rules: REDIRECT_RULES,
    header_rules: '[]',
    report: null,
  },
  blobs: {
    sha256: 'f'.repeat(64),
    size: 4,
    brotli_size: 3,
    gzip_size: null,
    encoded_at: AT,
    created_at: AT,
    touched_at: AT,
    condemned_at: null,
  },
  version_files: {
    version_id: 'version',
    path: 'index.html',
    sha256: 'f'.repeat(64),
    size: 4,
    content_type: 'text/html; charset=utf-8',
  },
  organization_blobs: { organization_id: 'organization', sha256: 'f'.repeat(64), created_at: AT },
  credentials: {
    id: 'credential',
    organization_id: 'organization',
    name: 'CI',
    description: null,
    public_key: 'ptgpk_1',
    secret_sealed: 'sealed',
    is_active: 1,
    created_by: 'ada',
    created_at: AT,
    last_used_at: null,
    expires_at: null,
  },
  credential_scopes: {
    credential_id: 'credential',
    resource_type: 'site',
    resource_id: 'site',
    permissions: '["read","write"]',
  },
  audit_events: {
    id: 'event',
    organization_id: 'organization',
    at: AT,
    actor_kind: 'person',
    actor_id: 'user',
    actor_name: 'ada',
    action: 'site.create',
    resource_type: 'site',
    resource_id: 'site',
    before: null,
    after: '{"name":"Blog"}',
    address: null,
    request_id: null,
  },
};

/** Returns a database as the first release left it. */
async function firstRelease(): Promise<{ db: Db; url: string }> {
  const { url, drop } = await createTestDatabase('empty');
  cleanups.push(drop);
  const db = openDatabase(url);
  cleanups.push(() => db.destroy());
  await migrateUpTo(db, '0001-foundation');
  for (const [table, row] of Object.entries(FIRST_RELEASE)) {
    await insertRow(db, table, row);
  }
  return { db, url };
}

async function insertRow(db: Db, table: string, row: Record<string, unknown>): Promise<void> {
  const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)));
  const values = sql.join(Object.values(row));
  await sql`insert into ${sql.table(table)} (${columns}) values (${values})`.execute(db);
}

async function migrateUpTo(db: Db, name: string): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await migrator.migrateTo(name);
  if (error) throw error;
}

async function onlyRow(db: Db, table: string): Promise<unknown> {
  const { rows } = await sql`select * from ${sql.table(table)}`.execute(db);
  expect(rows, table).toHaveLength(1);
  return rows[0];
}

describe('a database of the first release', () => {
  it('is migrated to the newest schema with every row unchanged', async () => {
    const { db } = await firstRelease();
    const applied = await migrateToLatest(db);
    expect(applied).toEqual(Object.keys(MIGRATIONS).slice(1));
    const { redirect_rules, header_rules, ...site_versions } = FIRST_RELEASE.site_versions ?? {};
    const { brotli_size, gzip_size, encoded_at, ...blobs } = FIRST_RELEASE.blobs ?? {};
    for (const [table, row] of Object.entries({ ...FIRST_RELEASE, site_versions, blobs })) {
      expect(await onlyRow(db, table), table).toMatchObject(row);
    }
    const copies = { brotli_size, gzip_size, encoded_at };
    expect(await onlyRow(db, 'organization_blobs')).toMatchObject(copies);
    expect(await onlyRow(db, 'site_versions')).toMatchObject({ encoded_at: AT });
    expect(await onlyRow(db, 'rule_sets')).toMatchObject({
      redirects: redirect_rules,
      headers: header_rules,
    });
    expect(await onlyRow(db, 'organizations')).toMatchObject({
      issuer: null,
      handle: null,
      suspended_at: null,
      detached_at: null,
    });
    expect(await migrateToLatest(db)).toEqual([]);
  });

  it('continues where it was: the session is valid, the workspace exists, the site is served', async () => {
    const { db, url } = await firstRelease();
    await migrateToLatest(db);
    const app = await createTestApp({ environment: { DATABASE_URL: url } });
    const actor = await createSessions(app).validate(`session=${SESSION_TOKEN}`);
    expect(actor).toMatchObject({ kind: 'person', userId: 'user', login: 'ada' });
    if (!actor) return;
    const request = { app, actor, requestId: 'r', address: '192.0.2.1' };
    expect(await listOrganizations(request)).toMatchObject([
      {
        organization: { id: 'organization', external_id: 'personal-1', suspended_at: null },
        permission: 'owner',
      },
    ]);
    const context = await resolveOrganization(request, 'organization');
    expect(await listSites(context, {})).toMatchObject({ items: [{ id: 'site', name: 'Blog' }] });
    const ports = createEdgePorts(app);
    expect(await ports.resolveHost('blog.sites.localhost')).toMatchObject({
      versionId: 'version',
      isSuspended: false,
    });
    const version = await ports.loadVersion('version');
    expect(version?.files.get('index.html')).toMatchObject({ size: 4 });
    expect(version?.redirects).toEqual(JSON.parse(REDIRECT_RULES));
  });

  it('stores identical rules of many versions once, and different ones separately', async () => {
    const { db } = await firstRelease();
    const rulesOf = (index: number) => `[{"from":"/${index % 3}","to":"/","status":301}]`;
    for (let index = 0; index < 120; index += 1) {
      await sql`insert into site_versions (id, organization_id, site_id, number, source, created_by, created_at, touched_at,
        file_count, total_bytes, header_rules) values (${`v${String(index).padStart(3, '0')}`}, 'organization', 'site',
        ${index + 2}, 'cli', 'ada', ${AT}, ${AT}, 0, 0, ${rulesOf(index)})`.execute(db);
    }
    await migrateToLatest(db);
    const rows = await db
      .selectFrom('site_versions')
      .innerJoin('rule_sets', 'rule_sets.sha256', 'site_versions.rules_sha256')
      .select(['number', 'rule_sets.headers'])
      .where('number', '>', 1)
      .orderBy('number')
      .execute();
    expect(rows).toEqual(rows.map((_, index) => ({ number: index + 2, headers: rulesOf(index) })));
    expect(rows).toHaveLength(120);
    expect(await db.selectFrom('rule_sets').select('sha256').execute()).toHaveLength(4);
  });

  it('has the lifetimes of what existed: sites, including deleted ones that can be restored, and endpoints', async () => {
    const { db, url } = await firstRelease();
    await sql`insert into sites (id, organization_id, name, name_key, subdomain, created_at, updated_at, deleted_at)
      values ('old', 'organization', 'Old', 'old', 'old', ${AT - 5}, ${AT}, ${AT})`.execute(db);
    await sql`insert into cdn_endpoints
      (id, organization_id, hostname, cname_target, origin_type, site_id, created_at, updated_at)
      values ('endpoint', 'organization', 'www.example.ca', 'target', 'site', 'site', ${AT + 1}, ${AT + 1})`.execute(
      db,
    );
    await migrateToLatest(db);
    const lifetimes = await db.selectFrom('resource_lifetimes').selectAll().orderBy('resource_id').execute();
    const known = { organization_id: 'organization', ended_at: null };
    const site = { ...known, resource_type: 'site' };
    expect(lifetimes).toEqual([
      {
        ...known,
        resource_id: 'endpoint',
        resource_type: 'endpoint',
        name: 'www.example.ca',
        started_at: AT + 1,
      },
      { ...site, resource_id: 'old', name: 'Old', started_at: AT - 5, ended_at: AT },
      { ...site, resource_id: 'site', name: 'Blog', started_at: AT },
    ]);
    const app = await createTestApp({ environment: { DATABASE_URL: url } });
    const actor = await createSessions(app).validate(`session=${SESSION_TOKEN}`);
    if (!actor) throw new Error('the session is gone');
    const context = await resolveOrganization({ app, actor, requestId: 'r', address: '' }, 'organization');
    await countUsage(app, [usageRow('organization', { siteId: 'site' }, { requests: 1 })]);
    expect(await getUsageOverview(context, {})).toMatchObject({
      active_sites: 1,
      resources: [{ site_id: 'site', name: 'Blog', is_deleted: false, total_requests: 1 }],
    });
  });

  it('keeps of each credit note whether it lowered what was due, and the refunds that it made', async () => {
    const { db } = await firstRelease();
    await migrateUpTo(db, '0037-rejected-refunds');
    const owner = { organization_id: 'organization', mode: 'live' };
    const money = [
      'subtotal_cents',
      'total_cents',
      'amount_due_cents',
      'amount_paid_cents',
      'credited_cents',
    ];
    for (const [id, paid_at] of [['paid', AT] as const, ['open', null] as const]) {
      await insertRow(db, 'invoices', {
        ...{ ...owner, id, paid_at, status: id, billing_year: 2026, billing_month: id === 'paid' ? 1 : 2 },
        ...{ tax_reason: 'taxable', attempts: 0, created_at: AT, updated_at: AT },
        ...Object.fromEntries(money.map((name) => [name, 0])),
      });
    }
    const notes = [
      { id: 'before', invoice_id: 'paid', kind: 'credit', created_at: AT, provider_id: 'cn_1' },
      { id: 'after', invoice_id: 'paid', kind: 'credit', created_at: AT + 1, provider_id: 'cn_2' },
      { id: 'due', invoice_id: 'open', kind: 'credit', created_at: AT, provider_id: 'cn_3' },
      { id: 'unsent', invoice_id: 'open', kind: 'credit', created_at: AT, provider_id: null },
      {
        id: 'card',
        invoice_id: 'paid',
        kind: 'refund',
        created_at: AT,
        provider_id: 'cn_4',
        refund_id: 're_1 re_2',
      },
    ];
    for (const note of notes) {
      await insertRow(db, 'credit_notes', { ...owner, ...note, reason: 'An outage', amount_cents: 100 });
    }
    await migrateToLatest(db);
    const early = await db.selectFrom('credit_notes').select(['id', 'is_early']).orderBy('id').execute();
    expect(early.map(({ id, is_early }) => `${id} ${is_early}`)).toEqual([
      'after 0',
      'before 1',
      'card 0',
      'due 1',
      'unsent null',
    ]);
    const refunds = db.selectFrom('credit_note_refunds').selectAll().orderBy('provider_id');
    const ofCard = { ...owner, credit_note_id: 'card' };
    expect(await refunds.execute()).toEqual([
      { ...ofCard, provider_id: 're_1' },
      { ...ofCard, provider_id: 're_2' },
    ]);
  });

  it('keeps the changes of buckets that are not added up yet', async () => {
    const { db } = await firstRelease();
    await migrateUpTo(db, '0033-invoices-after-the-month');
    await sql`insert into buckets (id, organization_id, name, region, status, cors_rules, object_count, stored_bytes,
        measured_until, created_at, updated_at)
      values ('bucket', 'organization', 'pictures', 'qc-south-1', 'active', '[]', 0, 0, ${AT}, ${AT}, ${AT})`.execute(
      db,
    );
    const change = { id: 'change', bucket_id: 'bucket', objects: 1, bytes: 4, changed_at: AT };
    await db.insertInto('bucket_changes').values(change).execute();
    await migrateToLatest(db);
    expect(await db.selectFrom('bucket_changes').selectAll().execute()).toEqual([change]);
  });
});
