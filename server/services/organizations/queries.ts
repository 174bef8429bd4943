import type { Selectable } from 'kysely';
import type { Executor } from '#db/client.ts';
import { preparedQuery } from '#db/prepared-query.ts';
import type { OrganizationsTable } from '#db/schema/organizations.ts';
import type { Config } from '#server/config/config.ts';
import { EMBEDDED_ISSUER } from '../identity/rules.ts';
import { toInstant } from '../shared/schema.ts';
import type { Permission } from './rules.ts';
import type { Organization } from './schema.ts';

export type OrganizationRow = Selectable<OrganizationsTable>;

const selectMembership = preparedQuery((executor, userId: string, organizationId: string) =>
  executor
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .selectAll('organizations')
    .select('memberships.permission')
    .where('memberships.user_id', '=', userId)
    .where('memberships.organization_id', '=', organizationId),
);

/** Returns the membership of a person in an organization, or null when there is none. */
export async function findMembership(
  executor: Executor,
  userId: string,
  organizationId: string,
): Promise<{ organization: OrganizationRow; permission: Permission } | null> {
  const [row] = await selectMembership(executor, userId, organizationId);
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

const selectOrganization = preparedQuery((executor, id: string) =>
  executor.selectFrom('organizations').selectAll().where('id', '=', id),
);

/** Returns an organization row by id, or null. */
export async function findOrganization(executor: Executor, id: string): Promise<OrganizationRow | null> {
  const [row] = await selectOrganization(executor, id);
  return row ?? null;
}

/** Returns the row as it goes over the wire. */
export function toOrganization(config: Config, row: OrganizationRow): Organization {
  return {
    id: row.id,
    external_id: row.external_id,
    name: row.name,
    description: row.description,
    website: row.website,
    location: row.location,
    avatar_url: row.avatar_url,
    features: JSON.parse(row.features),
    handle: row.handle,
    public_url: publicUrlOf(config, row),
    is_managed_here: row.issuer === EMBEDDED_ISSUER,
    suspended_at: toInstant(row.suspended_at),
    suspension_reason: row.suspension_reason,
  };
}

/** Returns the public address of a named organization: its page here or at the code host, if there is one. */
function publicUrlOf(config: Config, { issuer, handle }: OrganizationRow): string | null {
  if (handle === null || issuer === null) return null;
  if (issuer === EMBEDDED_ISSUER) return `${config.publicUrl}/identity/organizations/${handle}`;
  return config.codeHostUrl && `${config.codeHostUrl}/${encodeURIComponent(handle)}`;
}
