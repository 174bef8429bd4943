import { type Expression, sql } from 'kysely';
import type { Executor } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import { EMBEDDED_ISSUER } from '../identity/rules.ts';
import type { OperatorAccess } from '../operator/rules.ts';
import { toInstant } from '../shared/schema.ts';
import type { PersonForOperator } from './schema.ts';

/** A person who has signed in here, or an account that has not yet: one of the two ids is set, or both. */
export interface PersonRow {
  id: string;
  user_id: string | null;
  /** Of the local account. */
  subject: string | null;
  login: string;
  full_name: string;
  email: string;
  issuer: string;
  blocked_at: number | null;
  blocked_reason: string | null;
  operator_access: OperatorAccess | null;
  created_at: number;
}

const ACCOUNT_PREFIX = 'account-';

/**
 * Starts a read of all people: those who have signed in, and local accounts whose owner has not been in the
 * console yet.
 */
export function selectPeople(executor: Executor) {
  const users = executor
    .selectFrom('users')
    .select((eb) => [
      'users.id as id',
      sql<string | null>`users.id`.as('user_id'),
      eb
        .case()
        .when('users.issuer', '=', EMBEDDED_ISSUER)
        .then(eb.ref('users.subject'))
        .else(null)
        .end()
        .as('subject'),
      'users.login as login',
      'users.full_name as full_name',
      'users.email as email',
      'users.issuer as issuer',
      'users.blocked_at as blocked_at',
      'users.blocked_reason as blocked_reason',
      'users.operator_access as operator_access',
      'users.created_at as created_at',
    ]);
  const subject = sql<string>`cast(identity_accounts.number as text)`;
  const unseen = executor
    .selectFrom('identity_accounts')
    .select([
      sql<string>`${ACCOUNT_PREFIX} || cast(identity_accounts.number as text)`.as('id'),
      sql<string | null>`cast(null as text)`.as('user_id'),
      subject.as('subject'),
      'identity_accounts.login as login',
      'identity_accounts.full_name as full_name',
      'identity_accounts.email as email',
      sql<string>`cast(${EMBEDDED_ISSUER} as text)`.as('issuer'),
      'identity_accounts.blocked_at as blocked_at',
      'identity_accounts.blocked_reason as blocked_reason',
      sql<OperatorAccess | null>`cast(null as text)`.as('operator_access'),
      'identity_accounts.created_at as created_at',
    ])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('users')
            .select('users.id')
            .where('users.issuer', '=', EMBEDDED_ISSUER)
            .where('users.subject', '=', subject),
        ),
      ),
    );
  return executor.selectFrom(users.unionAll(unseen).as('people')).selectAll();
}

/**
 * Returns the person with a reference: an id before a login or an email address, in any case.
 * @throws person_not_found; invalid_input when several people have the login or the address
 */
export async function requirePersonRow(executor: Executor, reference: string): Promise<PersonRow> {
  const byId = await selectPeople(executor).where('id', '=', reference).executeTakeFirst();
  if (byId) return byId;
  // Before logins: anyone may register one that looks like the id of an account.
  const subject = findAccountNumber(reference);
  const byAccount =
    subject && (await selectPeople(executor).where('subject', '=', subject).executeTakeFirst());
  if (byAccount) return byAccount;
  const equals = (column: Expression<string>) => sql<boolean>`lower(${column}) = ${reference.toLowerCase()}`;
  // Some issuers let people choose a login that is another person's address: the two count as one name.
  const people = await selectPeople(executor)
    .where(({ or, ref }) => or([equals(ref('login')), equals(ref('email'))]))
    .limit(2)
    .execute();
  if (people.length > 1) {
    const reason = `several people match ${reference}; use the id of one`;
    throw new AppError('invalid_input', { reason });
  }
  if (!people[0]) throw new AppError('person_not_found');
  return people[0];
}

/** A local organization without another owner. */
export interface OwnedAlone {
  id: string;
  name: string;
  external_id: string;
}

/** Returns the local organizations that have no owner but this person. */
export async function listOwnedAlone(executor: Executor, userId: string): Promise<OwnedAlone[]> {
  return executor
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select(['organizations.id', 'organizations.name', 'organizations.external_id'])
    .where('memberships.user_id', '=', userId)
    .where('memberships.permission', '=', 'owner')
    .where(({ or, eb }) =>
      or([
        eb('organizations.issuer', '=', EMBEDDED_ISSUER),
        eb('organizations.external_id', 'like', 'personal-%'),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('memberships as others')
            .select('others.user_id')
            .whereRef('others.organization_id', '=', 'organizations.id')
            .where('others.permission', '=', 'owner')
            .where('others.user_id', '!=', userId),
        ),
      ),
    )
    .orderBy('organizations.id')
    .execute();
}

/** Returns the row as operators see it. */
export function toPersonForOperator(row: PersonRow): PersonForOperator {
  return {
    id: row.id,
    login: row.login,
    full_name: row.full_name,
    email: row.email,
    is_kept_here: row.issuer === EMBEDDED_ISSUER,
    blocked_at: toInstant(row.blocked_at),
    blocked_reason: row.blocked_reason,
    operator_access: row.operator_access,
    created_at: toInstant(row.created_at),
  };
}

/** Returns the number in the id of an account, which is also a reference once its owner has signed in. */
function findAccountNumber(reference: string): string | null {
  if (!reference.startsWith(ACCOUNT_PREFIX)) return null;
  const number = reference.slice(ACCOUNT_PREFIX.length);
  return /^\d{1,15}$/.test(number) ? number : null;
}
