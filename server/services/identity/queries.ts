import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Executor, Trx } from '#db/client.ts';
import { preparedQuery } from '#db/prepared-query.ts';
import type { IdentityAccountsTable } from '#db/schema/identity-accounts.ts';
import type { UsersTable } from '#db/schema/users.ts';
import type { Account, User } from './schema.ts';

export type UserRow = Selectable<UsersTable>;

const selectUser = preparedQuery((executor, id: string) =>
  executor.selectFrom('users').selectAll().where('id', '=', id),
);

export async function findUser(executor: Executor, id: string): Promise<UserRow | null> {
  const [row] = await selectUser(executor, id);
  return row ?? null;
}

/** Returns the row as it goes over the wire. */
export function toUser(row: UserRow): User {
  return {
    id: row.id,
    login: row.login,
    full_name: row.full_name,
    email: row.email,
    avatar_url: row.avatar_url,
    language_preference: row.language_preference,
  };
}

export type AccountRow = Selectable<IdentityAccountsTable>;

export async function findAccountByEmail(executor: Executor, email: string): Promise<AccountRow | null> {
  const row = await executor
    .selectFrom('identity_accounts')
    .selectAll()
    .where('email_key', '=', email.trim().toLowerCase())
    .executeTakeFirst();
  return row ?? null;
}

export async function findAccountByLogin(executor: Executor, login: string): Promise<AccountRow | null> {
  const row = await executor
    .selectFrom('identity_accounts')
    .selectAll()
    .where('login_key', '=', login.toLowerCase())
    .executeTakeFirst();
  return row ?? null;
}

/** Returns the account of a subject of the embedded service, or null for anything else. */
export async function findAccountBySubject(executor: Executor, subject: string): Promise<AccountRow | null> {
  if (!/^\d{1,15}$/.test(subject)) return null;
  const row = await executor
    .selectFrom('identity_accounts')
    .selectAll()
    .where('number', '=', Number(subject))
    .executeTakeFirst();
  return row ?? null;
}

/** Returns the row as it goes over the wire. */
export function toAccount(row: AccountRow): Account {
  return {
    full_name: row.full_name,
    login: row.login,
    email: row.email,
    avatar_url: row.avatar_url,
    email_verified: row.email_verified_at !== null,
  };
}

/**
 * Ends browsers' sessions at the embedded identity service, so that they have to enter the password again,
 * and ends what other programs were granted through them: without its grant no token is valid, not even one
 * that is being renewed right now.
 */
export async function endIdentitySessions(trx: Trx, uids: readonly (string | null)[]): Promise<void> {
  const known = uids.filter((uid) => uid !== null);
  if (known.length === 0) return;
  const granted = await trx
    .selectFrom('identity_payloads')
    .select('grant_id')
    .distinct()
    .where('uid', 'in', known)
    .where('grant_id', 'is not', null)
    .execute();
  const grants = granted.map(({ grant_id }) => hashPayloadId(grant_id ?? ''));
  if (grants.length > 0) {
    await trx
      .deleteFrom('identity_payloads')
      .where('model', '=', 'Grant')
      .where('id', 'in', grants)
      .execute();
  }
  await trx.deleteFrom('identity_payloads').where('uid', 'in', known).execute();
}

/**
 * Returns the id under which the embedded provider's state is stored: what grants access is stored only
 * hashed.
 */
export function hashPayloadId(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

export async function findUserBySubject(
  executor: Executor,
  issuer: string,
  subject: string,
): Promise<UserRow | null> {
  const row = await executor
    .selectFrom('users')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns the id of the person's own workspace, or null before the first sign-in. */
export async function findPersonalOrganizationId(executor: Executor, userId: string): Promise<string | null> {
  const row = await executor
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select('organizations.id')
    .where('memberships.user_id', '=', userId)
    .where('memberships.permission', '=', 'owner')
    .where('organizations.external_id', 'like', 'personal-%')
    .executeTakeFirst();
  return row?.id ?? null;
}
