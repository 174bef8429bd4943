import type { RequestContext } from '#server/context.ts';
import { removeInSlices } from '../shared/remove-in-slices.ts';
import { MAIL_KEPT_MS } from './rules.ts';

/** Removes the records of messages after 30 days, sent or not, and returns how many. */
export async function purgeOldMails(
  { app }: RequestContext,
  stopping?: AbortSignal,
): Promise<{ purged: number }> {
  const before = app.clock.now() - MAIL_KEPT_MS;
  const remove = (limit: number) =>
    app.db
      .deleteFrom('outgoing_mails')
      .where('id', 'in', (eb) =>
        eb.selectFrom('outgoing_mails').select('id').where('created_at', '<=', before).limit(limit),
      )
      .executeTakeFirstOrThrow();
  return { purged: await removeInSlices(remove, stopping) };
}
