import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { type NewMail, queueMail } from './queue-mail.ts';

/**
 * Writes a message about something that happens in an organization, as `queueMail` does. Of very many within an hour to one address the rest is
 * left out: the console shows the same, and the address may be another person's, which nobody has verified.
 */
export async function queueNotice(trx: Trx, app: App, mail: NewMail & { recipient: string }): Promise<void> {
  if (await app.rateLimits.isWithin('notice_recipient', keyOf(mail.recipient))) {
    await queueMail(trx, app, mail);
  }
}

/**
 * Whether another notice to at least one of these addresses would be written now. A notice that must not be left out
 * waits until it would.
 */
export async function hasRoomForNotice(app: App, recipients: readonly string[]): Promise<boolean> {
  const checks = recipients.map((recipient) => app.rateLimits.check('notice_recipient', keyOf(recipient)));
  return (await Promise.allSettled(checks)).some(({ status }) => status === 'fulfilled');
}

const keyOf = (recipient: string) => recipient.toLowerCase();
