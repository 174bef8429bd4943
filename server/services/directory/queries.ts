import type { Selectable } from 'kysely';
import type { Executor } from '#db/client.ts';
import type { IdentityAccountsTable } from '#db/schema/identity-accounts.ts';
import { EMBEDDED_ISSUER } from '../identity/rules.ts';
import type { Permission } from '../organizations/rules.ts';
import type { DirectoryOrganization, DirectoryPerson } from './schema.ts';

const ORGANIZATION_COLUMNS = [
  'organizations.upstream_id',
  'organizations.handle',
  'organizations.name',
  'organizations.description',
  'organizations.website',
  'organizations.location',
  'organizations.avatar_url',
] as const;

interface OrganizationColumns {
  upstream_id: string | null;
  handle: string | null;
  name: string;
  description: string | null;
  website: string | null;
  location: string | null;
  avatar_url: string | null;
}

/** Returns the person behind a subject of the embedded service, or null. */
export async function findPerson(executor: Executor, subject: string): Promise<DirectoryPerson | null> {
  if (!/^\d{1,15}$/.test(subject)) return null;
  const row = await executor
    .selectFrom('identity_accounts')
    .selectAll()
    .where('number', '=', Number(subject))
    .executeTakeFirst();
  return row ? toPerson(row) : null;
}

/** Returns the person with a user name, in any case, or null. */
export async function findPersonByLogin(executor: Executor, login: string): Promise<DirectoryPerson | null> {
  const row = await executor
    .selectFrom('identity_accounts')
    .selectAll()
    .where('login_key', '=', login.toLowerCase())
    .executeTakeFirst();
  return row ? toPerson(row) : null;
}

/** Returns an organization that is managed here by its handle, in any case, or null. */
export async function findOrganizationByHandle(
  executor: Executor,
  handle: string,
): Promise<DirectoryOrganization | null> {
  const row = await executor
    .selectFrom('organizations')
    .select(ORGANIZATION_COLUMNS)
    .where('issuer', '=', EMBEDDED_ISSUER)
    .where('handle', '=', handle.toLowerCase())
    .where('detached_at', 'is', null)
    .executeTakeFirst();
  return row ? toOrganization(row) : null;
}

/**
 * Returns a person's permission in the organization with a handle, or null for a person who is not a member.
 */
export async function findPermission(
  executor: Executor,
  subject: string,
  handle: string,
): Promise<Permission | null> {
  const row = await membershipsOf(executor, subject)
    .select('memberships.permission')
    .where('organizations.handle', '=', handle.toLowerCase())
    .executeTakeFirst();
  return row?.permission ?? null;
}

/** Returns the handles and permissions of everything a person belongs to, by handle. */
export async function listPermissions(
  executor: Executor,
  subject: string,
): Promise<{ handle: string; permission: Permission }[]> {
  const rows = await membershipsOf(executor, subject)
    .select(['organizations.handle', 'memberships.permission'])
    .orderBy('organizations.handle')
    .execute();
  return rows.map(({ handle, permission }) => ({ handle: handle ?? '', permission }));
}

/** Returns how many organizations a person belongs to, or shares with another person. */
export async function countOrganizations(
  executor: Executor,
  subject: string,
  sharedWith: string,
): Promise<number> {
  const { count } = await sharedMemberships(executor, subject, sharedWith)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns some of the organizations that a person belongs to, or shares with another person, by handle. */
export async function listOrganizationsOf(
  executor: Executor,
  subject: string,
  { sharedWith, offset, limit }: { sharedWith: string; offset: number; limit: number },
): Promise<DirectoryOrganization[]> {
  const rows = await sharedMemberships(executor, subject, sharedWith)
    .select(ORGANIZATION_COLUMNS)
    .orderBy('organizations.handle')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(toOrganization);
}

/** Memberships in organizations that are managed here; personal workspaces are private. */
function membershipsOf(executor: Executor, subject: string) {
  return executor
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .where('users.issuer', '=', EMBEDDED_ISSUER)
    .where('users.subject', '=', subject)
    .where('organizations.issuer', '=', EMBEDDED_ISSUER)
    .where('organizations.detached_at', 'is', null);
}

function sharedMemberships(executor: Executor, subject: string, sharedWith: string) {
  const own = membershipsOf(executor, subject);
  if (subject === sharedWith) return own;
  return own.where(
    'organizations.id',
    'in',
    membershipsOf(executor, sharedWith).select('memberships.organization_id'),
  );
}

function toOrganization({ upstream_id, handle, ...profile }: OrganizationColumns): DirectoryOrganization {
  return { number: Number(upstream_id), handle: handle ?? '', ...profile };
}

function toPerson(row: Selectable<IdentityAccountsTable>): DirectoryPerson {
  return {
    subject: String(row.number),
    number: row.number,
    login: row.login,
    full_name: row.full_name,
    email: row.email,
    avatar_url: row.avatar_url,
    language: row.language,
    created_at: row.created_at,
  };
}
