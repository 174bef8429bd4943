import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { newId } from '#server/ids.ts';

/** A message, ready to be sent. */
export interface MailMessage {
  subject: string;
  /** Plain text, lines as they are. */
  text: string;
}

export interface NewMail {
  recipient: string;
  message: MailMessage;
  /** What it tells of, e.g. `invitation` and its id. */
  resource_type: string;
  resource_id: string;
}

/**
 * Writes a message in the transaction of what it tells of; a job hands it over after the commit, again and again until it is
 * accepted or given up. Only where e-mail is configured: ask `app.config.mail` first.
 */
export async function queueMail(trx: Trx, app: App, mail: NewMail): Promise<void> {
  const now = app.clock.now();
  const id = newId(now);
  await trx
    .insertInto('outgoing_mails')
    .values({
      id,
      recipient: mail.recipient,
      message_sealed: app.sealer.seal(JSON.stringify(mail.message), id),
      resource_type: mail.resource_type,
      resource_id: mail.resource_id,
      created_at: now,
      next_attempt_at: now,
      attempts: 0,
    })
    .execute();
}
