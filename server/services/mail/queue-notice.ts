import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { type NewMail, queueMail } from './queue-mail.ts';

/**
 * Writes a message about something that happens in an organization, as `queueMail` does. Of very many within an hour to one address the rest is
 * left out: the console shows the same, and the address may be another person's, which nobody has verified.
 */
export async function queueNotice(trx: Trx, app: App, mail: NewMail & { recipient: string }): Promise<void> {
  if (await app.rateLimits.isWithin('notice_recipient', mail.recipient.toLowerCase())) {
    await queueMail(trx, app, mail);
  }
}
