import type { DeleteResult } from 'kysely';
import type { Db } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { removeInSlices } from '../../shared/remove-in-slices.ts';

/** The session of a sign-in in progress is not visible yet. */
const GRANT_IDLE_MS = DAY_MS;
/** How long an account may wait until its address is confirmed, however many links its owner requests. */
const UNCONFIRMED_MS = 7 * DAY_MS;

/**
 * Removes sessions, links sent by email and states of the embedded identity service that have expired, the
 * grants of other issuers to people who are no longer signed in, and accounts that nobody could ever use
 * because their address was not confirmed. Returns the number of removed rows.
 */
export async function deleteExpiredSignIns({ db, clock }: App, stopping?: AbortSignal): Promise<number> {
  const now = clock.now();
  let removed = 0;
  for (const remove of [removeSessions, removePayloads, removeMailLinks, removeGrants, removeAccounts]) {
    removed += await removeInSlices((limit) => remove(db, now, limit), stopping);
  }
  return removed;
}

function removeSessions(db: Db, now: number, limit: number): Promise<DeleteResult> {
  return db
    .deleteFrom('sessions')
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('sessions as old')
        .select('old.id')
        .where((eb) => eb.or([eb('old.expires_at', '<=', now), eb('old.absolute_expires_at', '<=', now)]))
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
}

function removePayloads(db: Db, now: number, limit: number): Promise<DeleteResult> {
  return db
    .deleteFrom('identity_payloads')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('model', 'id'),
        'in',
        selectFrom('identity_payloads as old')
          .select(['old.model', 'old.id'])
          .where('old.expires_at', '<=', now)
          .limit(limit)
          .$asTuple('model', 'id'),
      ),
    )
    .executeTakeFirstOrThrow();
}

function removeMailLinks(db: Db, now: number, limit: number): Promise<DeleteResult> {
  return db
    .deleteFrom('identity_mail_links')
    .where('token_hash', 'in', ({ selectFrom }) =>
      selectFrom('identity_mail_links as old')
        .select('old.token_hash')
        .where('old.expires_at', '<=', now)
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
}

function removeGrants(db: Db, now: number, limit: number): Promise<DeleteResult> {
  return (
    db
      .deleteFrom('sign_in_grants')
      // Checked again for one that is being renewed at this moment.
      .where('updated_at', '<=', now - GRANT_IDLE_MS)
      .where('user_id', 'in', ({ selectFrom }) =>
        selectFrom('sign_in_grants as old')
          .select('old.user_id')
          .where('old.updated_at', '<=', now - GRANT_IDLE_MS)
          .where(({ not, exists, selectFrom: from }) =>
            not(
              exists(from('sessions').select('sessions.id').whereRef('sessions.user_id', '=', 'old.user_id')),
            ),
          )
          .limit(limit),
      )
      .executeTakeFirstOrThrow()
  );
}

function removeAccounts(db: Db, now: number, limit: number): Promise<DeleteResult> {
  return (
    db
      .deleteFrom('identity_accounts')
      // Checked again for one that is being confirmed at this moment.
      .where('awaits_verification', '=', 1)
      .where('number', 'in', ({ selectFrom }) =>
        selectFrom('identity_accounts as old')
          .select('old.number')
          .where('old.awaits_verification', '=', 1)
          .where('old.created_at', '<=', now - UNCONFIRMED_MS)
          .limit(limit),
      )
      .executeTakeFirstOrThrow()
  );
}
