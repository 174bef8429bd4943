import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Executor, Trx } from '#db/client.ts';
import type { IdentityMailLinksTable } from '#db/schema/identity-mail-links.ts';
import type { App } from '#server/context.ts';
import { HOUR_MS } from '#server/durations.ts';
import { newToken } from '#server/ids.ts';
import { type AccountRow, findAccountBySubject } from '../queries.ts';

type Purpose = IdentityMailLinksTable['purpose'];

const LINKS: Record<Purpose, { path: string; lastsMs: number }> = {
  reset_password: { path: 'reset-password', lastsMs: HOUR_MS },
  verify_email: { path: 'verify-email', lastsMs: 24 * HOUR_MS },
};

export interface MailLink {
  link: string;
  expiresAt: number;
}

/**
 * Creates a link to an account's address and invalidates older ones of the same purpose. Only its hash is
 * stored.
 */
export async function createMailLink(
  trx: Trx,
  app: App,
  { number, email }: Pick<AccountRow, 'number' | 'email'>,
  purpose: Purpose,
): Promise<MailLink> {
  const now = app.clock.now();
  const token = newToken();
  const { path, lastsMs } = LINKS[purpose];
  await voidMailLinks(trx, number, purpose);
  await trx
    .insertInto('identity_mail_links')
    .values({
      token_hash: hashToken(token),
      account_number: number,
      purpose,
      email,
      created_at: now,
      expires_at: now + lastsMs,
      used_at: null,
    })
    .execute();
  return { link: `${app.config.publicUrl}/identity/${path}/${token}`, expiresAt: now + lastsMs };
}

/** Invalidates an account's links: those of one purpose, or all. */
export async function voidMailLinks(trx: Trx, accountNumber: number, purpose?: Purpose): Promise<void> {
  let links = trx.deleteFrom('identity_mail_links').where('account_number', '=', accountNumber);
  if (purpose !== undefined) links = links.where('purpose', '=', purpose);
  await links.execute();
}

/**
 * Returns the account of a link and the link itself, or null when it is unknown, has expired, or was sent to
 * an address that the account no longer has. The caller must check whether it was used.
 */
export async function findMailLink(
  executor: Executor,
  app: App,
  token: string,
  purpose: Purpose,
): Promise<{ account: AccountRow; link: Selectable<IdentityMailLinksTable> } | null> {
  const link = await executor
    .selectFrom('identity_mail_links')
    .selectAll()
    .where('token_hash', '=', hashToken(token))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', app.clock.now())
    .executeTakeFirst();
  if (!link) return null;
  const account = await findAccountBySubject(executor, String(link.account_number));
  if (!account || account.email_key !== link.email.toLowerCase()) return null;
  return { account, link };
}

/** Uses up a link. Of two requests with the same link, one gets true. */
export async function useUpMailLink(trx: Trx, app: App, tokenHash: string): Promise<boolean> {
  const now = app.clock.now();
  const used = await trx
    .updateTable('identity_mail_links')
    .set({ used_at: now })
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return used.numUpdatedRows === 1n;
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
