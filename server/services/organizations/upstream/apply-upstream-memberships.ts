import { isPostgres, type Trx } from '#db/client.ts';
import type { App, RequestContext } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import type { UnitOfWork } from '../../shared/unit-of-work.ts';
import type { OrganizationRow } from '../queries.ts';
import type { Permission } from '../rules.ts';
import { freeExternalId } from './upstream-external-id.ts';

/** An organization as an external issuer manages it, with one person's permission in it. */
export interface UpstreamOrganization {
  /** Its permanent name: a numeric id, or the group's name. */
  upstream_id: string;
  /** Its handle there; null when it has no page. */
  handle: string | null;
  name: string;
  description: string | null;
  website: string | null;
  location: string | null;
  avatar_url: string | null;
  permission: Permission;
}

export interface UpstreamMemberships {
  user: { id: string; login: string };
  issuer: string;
  /** The complete list: memberships that are not listed are removed. */
  organizations: readonly UpstreamOrganization[];
}

const PROFILE_FIELDS = ['handle', 'name', 'description', 'website', 'location', 'avatar_url'] as const;

type KnownOrganization = Pick<OrganizationRow, 'id' | 'detached_at' | (typeof PROFILE_FIELDS)[number]> & {
  upstream_id: string;
  permission: Permission | null;
};

/**
 * Makes a person's memberships in one issuer's organizations match what the issuer says: creates, renames and
 * attaches organizations, adds and removes memberships, and detaches an organization whose last member is
 * gone. Personal workspaces and other issuers' organizations are not affected. Nothing is written when
 * nothing differs; concurrent calls create one of each.
 */
export async function applyUpstreamMemberships(
  request: UnitOfWork,
  context: RequestContext,
  { user, issuer, organizations }: UpstreamMemberships,
): Promise<void> {
  // The actor of these changes is the issuer, whichever request triggered them.
  const unit = request.by({ ...context, actor: { kind: 'job', name: 'membership sync' } });
  const listed = new Map(organizations.map((organization) => [organization.upstream_id, organization]));
  const known = await listKnown(unit.trx, user.id, issuer, [...listed.keys()]);
  // Always in the same order, so that updates for two people of the same organizations never deadlock.
  for (const upstreamId of [...new Set([...listed.keys(), ...known.keys()])].sort()) {
    const organization = listed.get(upstreamId);
    const before = known.get(upstreamId);
    if (organization && before && isSame(organization, before)) continue;
    if (organization) await keepMembership(unit, context.app, { user, issuer, organization });
    else if (before?.permission) await endMembership(unit, user, before.id);
  }
}

/** The issuer's organizations that are listed or that the person belongs to, with the person's permission. */
async function listKnown(
  trx: Trx,
  userId: string,
  issuer: string,
  upstreamIds: string[],
): Promise<Map<string, KnownOrganization>> {
  const rows = await trx
    .selectFrom('organizations')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.organization_id', '=', 'organizations.id')
        .on('memberships.user_id', '=', userId),
    )
    .select(['organizations.id', 'organizations.upstream_id', 'organizations.detached_at'])
    .select(PROFILE_FIELDS.map((field) => `organizations.${field}` as const))
    .select('memberships.permission')
    .where('organizations.issuer', '=', issuer)
    .where((eb) =>
      eb.or([
        eb('memberships.user_id', '=', userId),
        ...(upstreamIds.length > 0 ? [eb('organizations.upstream_id', 'in', upstreamIds)] : []),
      ]),
    )
    .execute();
  const known = new Map<string, KnownOrganization>();
  for (const row of rows) {
    if (row.upstream_id !== null) known.set(row.upstream_id, { ...row, upstream_id: row.upstream_id });
  }
  return known;
}

function isSame(organization: UpstreamOrganization, known: KnownOrganization): boolean {
  return (
    known.permission === organization.permission &&
    known.detached_at === null &&
    PROFILE_FIELDS.every((field) => known[field] === organization[field])
  );
}

async function keepMembership(
  unit: UnitOfWork,
  app: App,
  input: { user: UpstreamMemberships['user']; issuer: string; organization: UpstreamOrganization },
): Promise<void> {
  const { trx, now, audit } = unit;
  const { user, issuer, organization } = input;
  const row = await createOrFind(unit, app, issuer, organization);
  await bringUpToDate(unit, row, organization);
  const { permission } = organization;
  const membership = { organization_id: row.id, user_id: user.id };
  const before = await trx
    .selectFrom('memberships')
    .select('permission')
    .where('organization_id', '=', row.id)
    .where('user_id', '=', user.id)
    .executeTakeFirst();
  if (before?.permission === permission) return;
  await trx
    .insertInto('memberships')
    .values({ ...membership, permission, created_at: now })
    .onConflict((conflict) => conflict.columns(['organization_id', 'user_id']).doUpdateSet({ permission }))
    .execute();
  await audit({
    action: before ? 'member.update' : 'member.add',
    resource_type: 'member',
    resource_id: user.id,
    organization_id: row.id,
    before: before ? { login: user.login, permission: before.permission } : null,
    after: { login: user.login, permission },
  });
}

/** Returns the organization's row, locked; created when no one here has belonged to it before. */
async function createOrFind(
  { trx, now, audit }: UnitOfWork,
  app: App,
  issuer: string,
  organization: UpstreamOrganization,
): Promise<OrganizationRow> {
  const existing = await lockByUpstreamId(trx, issuer, organization.upstream_id);
  if (existing) return existing;
  const { permission: _, ...profile } = organization;
  const created = await trx
    .insertInto('organizations')
    .values({
      id: newId(now),
      external_id: await freeExternalId(trx, 'org', { issuer, id: organization.upstream_id }),
      issuer,
      ...profile,
      features: JSON.stringify(app.config.defaultFeatures),
      suspended_at: null,
      suspension_reason: null,
      detached_at: null,
      created_at: now,
      updated_at: now,
    })
    // Without a conflict target: a concurrent insert holds the external id as well.
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!created) {
    const other = await lockByUpstreamId(trx, issuer, organization.upstream_id);
    if (!other) throw new Error('the number of an organization was taken by another one at the same time');
    return other;
  }
  await audit({
    action: 'organization.create',
    resource_type: 'organization',
    resource_id: created.id,
    organization_id: created.id,
    after: { external_id: created.external_id, issuer, handle: created.handle, name: created.name },
  });
  return created;
}

async function lockByUpstreamId(
  trx: Trx,
  issuer: string,
  upstreamId: string,
): Promise<OrganizationRow | undefined> {
  return trx
    .selectFrom('organizations')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('upstream_id', '=', upstreamId)
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .executeTakeFirst();
}

/** Updates the profile to the issuer's, and attaches a detached organization. */
async function bringUpToDate(
  { trx, now, audit }: UnitOfWork,
  row: OrganizationRow,
  organization: UpstreamOrganization,
): Promise<void> {
  const changed = PROFILE_FIELDS.filter((field) => row[field] !== organization[field]);
  const isAttached = row.detached_at !== null;
  if (changed.length === 0 && !isAttached) return;
  const profile = Object.fromEntries(PROFILE_FIELDS.map((field) => [field, organization[field]]));
  await trx
    .updateTable('organizations')
    .set({ ...profile, detached_at: null, updated_at: now })
    .where('id', '=', row.id)
    .execute();
  const pick = (source: Pick<OrganizationRow, (typeof PROFILE_FIELDS)[number]>) =>
    Object.fromEntries(changed.map((field) => [field, source[field]]));
  const entry = { resource_type: 'organization', resource_id: row.id, organization_id: row.id };
  if (isAttached) {
    const before = { detached_at: row.detached_at };
    await audit({ ...entry, action: 'organization.attach', before });
  }
  if (changed.length > 0) {
    const action = 'organization.update';
    await audit({ ...entry, action, before: pick(row), after: pick(organization) });
  }
}

async function endMembership(
  { trx, now, audit }: UnitOfWork,
  user: UpstreamMemberships['user'],
  organizationId: string,
): Promise<void> {
  // Locked, so that of two last members who leave at the same time, one sees that none is left.
  await trx
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organizationId)
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .execute();
  const ended = await trx
    .deleteFrom('memberships')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', user.id)
    .returning('permission')
    .executeTakeFirst();
  if (!ended) return;
  const entry = { organization_id: organizationId };
  await audit({
    ...entry,
    action: 'member.remove',
    resource_type: 'member',
    resource_id: user.id,
    before: { login: user.login, permission: ended.permission },
  });
  const member = await trx
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .limit(1)
    .executeTakeFirst();
  if (member) return;
  await trx
    .updateTable('organizations')
    .set({ detached_at: now, updated_at: now })
    .where('id', '=', organizationId)
    .execute();
  await audit({
    ...entry,
    action: 'organization.detach',
    resource_type: 'organization',
    resource_id: organizationId,
    after: { detached_at: now },
  });
}
