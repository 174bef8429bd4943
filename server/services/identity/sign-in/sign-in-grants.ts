import type { Executor, Trx } from '#db/client.ts';
import type { SignInGrantsTable } from '#db/schema/sign-in-grants.ts';
import type { App } from '#server/context.ts';

/** An issuer's grant: the tokens, and until when the first one works. */
export interface SignInGrant {
  accessToken: string;
  refreshToken: string | null;
  /** Null when the issuer does not say. */
  accessExpiresAt: number | null;
  groupsSource: SignInGrantsTable['groups_source'];
}

/** A stored grant. `mark` changes with every change of it. */
export interface KeptGrant extends SignInGrant {
  mark: string;
}

type Sealing = Pick<App, 'sealer' | 'clock'>;

/** Bound to the person and the column: a sealed token that is moved elsewhere does not open. */
const associated = (userId: string, token: 'access' | 'refresh') => `sign-in grant ${userId} ${token}`;

/** Stores a person's newest grant, sealed, replacing an earlier one. */
export async function keepSignInGrant(
  trx: Trx,
  app: Sealing,
  userId: string,
  grant: SignInGrant,
): Promise<void> {
  const values = sealGrant(app, userId, grant);
  await trx
    .insertInto('sign_in_grants')
    .values({ user_id: userId, ...values })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
    .execute();
}

/** Returns a person's grant, or null when there is none that this installation can open. */
export async function findSignInGrant(
  executor: Executor,
  { sealer }: Pick<App, 'sealer'>,
  userId: string,
): Promise<KeptGrant | null> {
  const row = await executor
    .selectFrom('sign_in_grants')
    .selectAll()
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (!row) return null;
  const { refresh_token_sealed: refresh } = row;
  return {
    accessToken: sealer.open(row.access_token_sealed, associated(userId, 'access')),
    refreshToken: refresh === null ? null : sealer.open(refresh, associated(userId, 'refresh')),
    accessExpiresAt: row.access_expires_at,
    groupsSource: row.groups_source,
    mark: row.access_token_sealed,
  };
}

/**
 * Stores a renewed grant and returns its mark; stores nothing and returns null when the one it was renewed
 * from has been replaced meanwhile, by a sign-in or another node, because that one is newer.
 */
export async function replaceSignInGrant(
  executor: Executor,
  app: Sealing,
  userId: string,
  { from, to }: { from: KeptGrant; to: SignInGrant },
): Promise<string | null> {
  const values = sealGrant(app, userId, to);
  const { numUpdatedRows } = await executor
    .updateTable('sign_in_grants')
    .set(values)
    .where('user_id', '=', userId)
    .where('access_token_sealed', '=', from.mark)
    .executeTakeFirst();
  return numUpdatedRows === 1n ? values.access_token_sealed : null;
}

/**
 * Deletes a grant that its issuer declared void, unless it has been replaced meanwhile. Returns whether it
 * was deleted.
 */
export async function forgetSignInGrant(executor: Executor, userId: string, mark: string): Promise<boolean> {
  const { numDeletedRows } = await executor
    .deleteFrom('sign_in_grants')
    .where('user_id', '=', userId)
    .where('access_token_sealed', '=', mark)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Whether a grant of the person is stored. */
export async function hasSignInGrant(executor: Executor, userId: string): Promise<boolean> {
  const row = await executor
    .selectFrom('sign_in_grants')
    .select('user_id')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

function sealGrant({ sealer, clock }: Sealing, userId: string, grant: SignInGrant) {
  return {
    access_token_sealed: sealer.seal(grant.accessToken, associated(userId, 'access')),
    refresh_token_sealed:
      grant.refreshToken === null ? null : sealer.seal(grant.refreshToken, associated(userId, 'refresh')),
    access_expires_at: grant.accessExpiresAt,
    groups_source: grant.groupsSource,
    updated_at: clock.now(),
  };
}
