import { z } from 'zod';
import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import type { MailMessage } from './render-mail.ts';

export type { MailMessage };

export interface NewMail {
  /**
   * One address. Null for a message without a recipient: everything is done as for any other, so that a
   * waiting client cannot tell whether there was one.
   */
  recipient: string | null;
  message: MailMessage;
  /** What it is about, e.g. `invitation` and its id. */
  resource_type: string;
  resource_id: string;
  /**
   * When it is no longer worth sending, e.g. because its link has expired; a day after it was written unless
   * given.
   */
  expires_at?: number;
}

const recipientSchema = z.email().max(254);

/** The sealed part. */
export const sealedMailSchema = z.object({
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  languages: z.array(z.string()),
  expires_at: z.number().nullable(),
});

/**
 * Writes a message in the transaction of the change it is about; a job sends it after the commit, repeatedly
 * until it is accepted or abandoned. Does nothing when no email is configured (`app.config.mail`).
 * @throws ZodError for a recipient that is not exactly one address
 */
export async function queueMail(trx: Trx, app: App, mail: NewMail): Promise<void> {
  if (!app.config.mail) return;
  const recipient = mail.recipient === null ? '' : recipientSchema.parse(mail.recipient);
  const now = app.clock.now();
  const id = newId(now);
  const sealed: z.input<typeof sealedMailSchema> = {
    ...mail.message,
    languages: [...mail.message.languages],
    expires_at: mail.expires_at ?? null,
  };
  const message = app.sealer.seal(JSON.stringify(sealed), id);
  const isForSomebody = recipient !== '';
  await trx
    .insertInto('outgoing_mails')
    .values({
      id,
      recipient,
      message_sealed: isForSomebody ? message : '',
      resource_type: mail.resource_type,
      resource_id: mail.resource_id,
      created_at: now,
      next_attempt_at: isForSomebody ? now : null,
      attempts: 0,
      failed_at: isForSomebody ? null : now,
      last_error: isForSomebody ? null : 'there is no recipient',
    })
    .execute();
}
