import type { Selectable } from 'kysely';
import type { Executor } from '#db/client.ts';
import type { OrganizationsTable } from '#db/schema/organizations.ts';
import type { Permission } from './rules.ts';
import type { Organization } from './schema.ts';

export type OrganizationRow = Selectable<OrganizationsTable>;

/** Returns the membership of a person in an organization, or null when there is none. */
export async function findMembership(
  executor: Executor,
  userId: string,
  organizationId: string,
): Promise<{ organization: OrganizationRow; permission: Permission } | null> {
  const row = await executor
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .selectAll('organizations')
    .select('memberships.permission')
    .where('memberships.user_id', '=', userId)
    .where('memberships.organization_id', '=', organizationId)
    .executeTakeFirst();
  if (!row) return null;
  const { permission, ...organization } = row;
  return { organization, permission };
}

/** Returns every membership of a person, the personal workspace first, then by name. */
export async function listMemberships(
  executor: Executor,
  userId: string,
): Promise<{ organization: OrganizationRow; permission: Permission }[]> {
  const rows = await executor
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .selectAll('organizations')
    .select('memberships.permission')
    .where('memberships.user_id', '=', userId)
    .orderBy('organizations.name')
    .execute();
  return rows
    .map(({ permission, ...organization }) => ({ organization, permission }))
    .sort((a, b) => Number(isNamed(a.organization)) - Number(isNamed(b.organization)));
}

function isNamed(organization: OrganizationRow): boolean {
  return !organization.external_id.startsWith('personal-');
}

/** Returns an organization row by id, or null. */
export async function findOrganization(executor: Executor, id: string): Promise<OrganizationRow | null> {
  const row = await executor.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst();
  return row ?? null;
}

/** Returns the row as it goes over the wire. */
export function toOrganization(row: OrganizationRow): Organization {
  return {
    id: row.id,
    external_id: row.external_id,
    name: row.name,
    description: row.description,
    website: row.website,
    location: row.location,
    avatar_url: row.avatar_url,
    features: JSON.parse(row.features),
  };
}
