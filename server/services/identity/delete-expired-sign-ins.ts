import type { App } from '#server/context.ts';

/** Removes sessions, links sent by e-mail and states of the embedded identity service that have expired; returns how many rows went. */
export async function deleteExpiredSignIns({ db, clock }: App): Promise<number> {
  const now = clock.now();
  const sessions = await db
    .deleteFrom('sessions')
    .where((eb) => eb.or([eb('expires_at', '<=', now), eb('absolute_expires_at', '<=', now)]))
    .executeTakeFirst();
  const payloads = await db.deleteFrom('identity_payloads').where('expires_at', '<=', now).executeTakeFirst();
  const links = await db.deleteFrom('identity_mail_links').where('expires_at', '<=', now).executeTakeFirst();
  return Number(sessions.numDeletedRows + payloads.numDeletedRows + links.numDeletedRows);
}
