import { join } from 'node:path';
import type { Insertable, Updateable } from 'kysely';
import { type Db, openDatabase } from '#db/client.ts';
import type { CdnEndpointsTable } from '#db/schema/cdn-endpoints.ts';
import type { CertificateBundlesTable } from '#db/schema/certificate-bundles.ts';
import { DAY_MS } from '#server/durations.ts';
import { newId } from '#server/ids.ts';
import { EMBEDDED_ISSUER } from '#server/services/identity/rules.ts';
import type { Permission } from '#server/services/organizations/rules.ts';
import { REGION } from '#server/services/storage/rules.ts';
import { beginLifetime } from '#server/services/usage/keep-lifetime.ts';
import type { RunningServer } from './test-server.ts';

/** Works on the database of a running server alongside it, for what no screen and no call can do yet. */
async function inServerDatabase(server: RunningServer, work: (db: Db) => Promise<unknown>): Promise<void> {
  const db = openDatabase(`sqlite:${join(server.dataDir, 'portage.sqlite')}`);
  try {
    await work(db);
  } finally {
    await db.destroy();
  }
}

/** Makes the uploads that are not completed older, with their parts. */
export async function ageUploads(server: RunningServer, keyPrefix: string, byMs: number): Promise<void> {
  await inServerDatabase(server, async (db) => {
    const uploads = db.selectFrom('object_uploads').where('key', 'like', `${keyPrefix}%`);
    await db
      .updateTable('object_pieces')
      .set(({ eb }) => ({ created_at: eb('created_at', '-', byMs) }))
      .where('content_id', 'in', uploads.select('id'))
      .execute();
    await db
      .updateTable('object_uploads')
      .set(({ eb }) => ({ created_at: eb('created_at', '-', byMs) }))
      .where('key', 'like', `${keyPrefix}%`)
      .execute();
  });
}

/** Inserts buckets `{prefix}-000`, `{prefix}-001` and so on, which are in use. */
export async function insertBuckets(
  server: RunningServer,
  { organizationId, prefix, count }: { organizationId: string; prefix: string; count: number },
): Promise<void> {
  const now = Date.now();
  const rows = Array.from({ length: count }, (_, at) => ({
    id: newId(now),
    organization_id: organizationId,
    name: `${prefix}-${String(at).padStart(3, '0')}`,
    region: REGION,
    status: 'active' as const,
    cors_rules: '[]',
    ...{
      object_count: 0,
      stored_bytes: 0,
      measured_until: now,
      tags: '[]',
      created_at: now,
      updated_at: now,
    },
  }));
  await inServerDatabase(server, (db) => db.insertInto('buckets').values(rows).execute());
}

/** What the CNAME record of every endpoint inserted here has to name. */
export const ENDPOINT_TARGET = 'a.edge.localhost';

/**
 * Puts a CDN endpoint in front of a site; with `bundle`, it has a certificate that no job touches for a day.
 */
export async function insertEndpoint(
  server: RunningServer,
  endpoint: {
    organizationId: string;
    siteId: string;
    hostname: string;
    provenAt?: number;
    bundle?: Partial<Insertable<CertificateBundlesTable>>;
  },
): Promise<void> {
  const now = Date.now();
  const { organizationId, siteId, hostname, provenAt, bundle } = endpoint;
  const common = { id: newId(now), organization_id: organizationId, created_at: now, updated_at: now };
  const row = {
    ...common,
    hostname,
    cname_target: ENDPOINT_TARGET,
    origin_type: 'site' as const,
    site_id: siteId,
    redirect_target: null,
    proven_at: provenAt ?? null,
  };
  await inServerDatabase(server, async (db) => {
    await db.insertInto('cdn_endpoints').values(row).execute();
    await db.transaction().execute((trx) =>
      beginLifetime(trx, {
        resource_id: row.id,
        organization_id: organizationId,
        resource_type: 'endpoint',
        name: hostname,
        started_at: now,
      }),
    );
    if (!bundle) return;
    await db
      .insertInto('certificate_bundles')
      .values({
        ...common,
        endpoint_id: row.id,
        domain_name: hostname,
        dns_challenge_id: row.id.slice(-20),
        next_check_at: now + DAY_MS,
        ...bundle,
      })
      .execute();
  });
}

/** Changes the state of an endpoint and its certificate, like time, DNS and the authority would. */
export async function changeEndpoint(
  server: RunningServer,
  hostname: string,
  facts: { endpoint?: Updateable<CdnEndpointsTable>; bundle?: Updateable<CertificateBundlesTable> },
): Promise<void> {
  await inServerDatabase(server, async (db) => {
    const { endpoint, bundle } = facts;
    if (endpoint) {
      await db.updateTable('cdn_endpoints').set(endpoint).where('hostname', '=', hostname).execute();
    }
    if (bundle) {
      await db.updateTable('certificate_bundles').set(bundle).where('domain_name', '=', hostname).execute();
    }
  });
}

/** The fields of a named organization; missing ones get a neutral value. */
export interface NewOrganization {
  name: string;
  /** Its members, by email address. */
  members: Record<string, Permission>;
  handle?: string;
  description?: string | null;
  website?: string | null;
  location?: string | null;
  suspensionReason?: string;
  features?: readonly string[];
}

/** Creates a named organization of the embedded identity service and returns its id. */
export async function insertNamedOrganization(
  server: RunningServer,
  { name, members, handle, suspensionReason, ...profile }: NewOrganization,
): Promise<string> {
  const now = Date.now();
  const id = newId(now);
  await inServerDatabase(server, async (db) => {
    await db
      .insertInto('organizations')
      .values({
        id,
        external_id: `org-${id}`,
        issuer: EMBEDDED_ISSUER,
        upstream_id: id,
        handle: handle ?? `org-${id}`,
        name,
        description: profile.description ?? null,
        website: profile.website ?? null,
        location: profile.location ?? null,
        avatar_url: null,
        features: JSON.stringify(profile.features ?? []),
        suspended_at: suspensionReason === undefined ? null : now,
        suspension_reason: suspensionReason ?? null,
        detached_at: null,
        created_at: now,
        updated_at: now,
      })
      .execute();
    for (const [email, permission] of Object.entries(members)) {
      const { id: userId } = await db
        .selectFrom('users')
        .select('id')
        .where('email', '=', email)
        .executeTakeFirstOrThrow();
      await db
        .insertInto('memberships')
        .values({ organization_id: id, user_id: userId, permission, created_at: now })
        .execute();
    }
  });
  return id;
}

/** Creates a named organization with one member, the person with this email address, and returns its id. */
export function insertOrganization(
  server: RunningServer,
  { name, email, permission }: { name: string; email: string; permission: Permission },
): Promise<string> {
  return insertNamedOrganization(server, {
    name,
    members: { [email]: permission },
    description: 'Maps of rivers and of the ways around them',
    website: 'https://rivers.example',
    location: 'Trois-Rivières',
  });
}

/** Suspends an organization like an operator, or reinstates it. */
export async function suspendOrganization(
  server: RunningServer,
  organizationId: string,
  reason: string | null,
): Promise<void> {
  const suspension =
    reason === null
      ? { suspended_at: null, suspension_reason: null }
      : { suspended_at: Date.now(), suspension_reason: reason };
  await inServerDatabase(server, (db) =>
    db.updateTable('organizations').set(suspension).where('id', '=', organizationId).execute(),
  );
}

/** Ends the membership of the person with this email address. */
export async function endMembership(
  server: RunningServer,
  organizationId: string,
  email: string,
): Promise<void> {
  await inServerDatabase(server, (db) =>
    db
      .deleteFrom('memberships')
      .where('organization_id', '=', organizationId)
      .where('user_id', 'in', db.selectFrom('users').select('id').where('email', '=', email))
      .execute(),
  );
}

/** Gives a member of an organization another permission, like an owner elsewhere. */
export async function changePermission(
  server: RunningServer,
  organizationId: string,
  email: string,
  permission: Permission,
): Promise<void> {
  await inServerDatabase(server, (db) =>
    db
      .updateTable('memberships')
      .set({ permission })
      .where('organization_id', '=', organizationId)
      .where('user_id', 'in', db.selectFrom('users').select('id').where('email', '=', email))
      .execute(),
  );
}

/** Adds people who have never signed in here to an organization, each with the permission `read`. */
export async function insertMembers(
  server: RunningServer,
  organizationId: string,
  names: readonly string[],
): Promise<void> {
  const now = Date.now();
  const people = names.map((name, index) => ({
    id: newId(now),
    issuer: EMBEDDED_ISSUER,
    subject: `${organizationId}-${index}`,
    login: `member-${index}`,
    full_name: name,
    email: `member-${index}@example.ca`,
    avatar_url: null,
    language_preference: null,
    memberships_synced_at: null,
    memberships_attempted_at: null,
    created_at: now,
    updated_at: now,
  }));
  await inServerDatabase(server, async (db) => {
    await db.insertInto('users').values(people).execute();
    await db
      .insertInto('memberships')
      .values(
        people.map(({ id }) => ({
          organization_id: organizationId,
          user_id: id,
          permission: 'read' as const,
          created_at: now,
        })),
      )
      .execute();
  });
}

/** Runs the work while usage cannot be read, as if the database were damaged; afterwards it can. */
export async function withoutUsageFigures(server: RunningServer, work: () => Promise<void>): Promise<void> {
  const rename = (from: string, to: string) =>
    inServerDatabase(server, (db) => db.schema.alterTable(from).renameTo(to).execute());
  await rename('usage_days', 'usage_days_elsewhere');
  await work().finally(() => rename('usage_days_elsewhere', 'usage_days'));
}

/** Writes events of a person who is no longer a member, one per minute until now. */
export async function insertAuditEvents(
  server: RunningServer,
  organizationId: string,
  events: readonly { action: string; address?: string; after?: Record<string, unknown>; at?: number }[],
): Promise<void> {
  const now = Date.now();
  const rows = events.map(({ action, address, after, at }, index) => ({
    id: newId(now + index),
    organization_id: organizationId,
    at: at ?? now - (events.length - index) * 60_000,
    actor_kind: 'person' as const,
    actor_id: null,
    actor_name: 'Élodie Roy',
    action,
    resource_type: 'member',
    resource_id: 'somebody',
    before: null,
    after: after ? JSON.stringify(after) : null,
    address: address ?? null,
    request_id: null,
  }));
  await inServerDatabase(server, (db) => db.insertInto('audit_events').values(rows).execute());
}
