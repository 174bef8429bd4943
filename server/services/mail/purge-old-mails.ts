import type { RequestContext } from '#server/context.ts';
import { MAIL_KEPT_MS } from './rules.ts';

/** Removes the records of messages after 30 days, sent or not, and returns how many. */
export async function purgeOldMails({ app }: RequestContext): Promise<{ purged: number }> {
  const { numDeletedRows } = await app.db
    .deleteFrom('outgoing_mails')
    .where('created_at', '<=', app.clock.now() - MAIL_KEPT_MS)
    .executeTakeFirst();
  return { purged: Number(numDeletedRows) };
}
