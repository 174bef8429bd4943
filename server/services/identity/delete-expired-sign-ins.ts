import type { App } from '#server/context.ts';

/** A sign-in of this moment is not seen yet with its session. */
const GRANT_IDLE_MS = 86_400_000;

/**
 * Removes sessions, links sent by e-mail and states of the embedded identity service that have expired, and what other
 * issuers granted to people who are not signed in any more; returns how many rows went.
 */
export async function deleteExpiredSignIns({ db, clock }: App): Promise<number> {
  const now = clock.now();
  const sessions = await db
    .deleteFrom('sessions')
    .where((eb) => eb.or([eb('expires_at', '<=', now), eb('absolute_expires_at', '<=', now)]))
    .executeTakeFirst();
  const payloads = await db.deleteFrom('identity_payloads').where('expires_at', '<=', now).executeTakeFirst();
  const links = await db.deleteFrom('identity_mail_links').where('expires_at', '<=', now).executeTakeFirst();
  const grants = await db
    .deleteFrom('sign_in_grants')
    .where('updated_at', '<=', now - GRANT_IDLE_MS)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('sessions')
            .select('sessions.id')
            .whereRef('sessions.user_id', '=', 'sign_in_grants.user_id'),
        ),
      ),
    )
    .executeTakeFirst();
  return Number(
    sessions.numDeletedRows + payloads.numDeletedRows + links.numDeletedRows + grants.numDeletedRows,
  );
}
