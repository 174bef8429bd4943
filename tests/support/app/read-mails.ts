import type { App } from '#server/context.ts';
import { sealedMailSchema } from '#server/services/mail/queue-mail.ts';

/** Returns the messages that wait to be sent, oldest first. */
export async function readMails({ db, sealer }: App) {
  const rows = await db.selectFrom('outgoing_mails').selectAll().orderBy('id').execute();
  return rows
    .filter(({ message_sealed }) => message_sealed !== '')
    .map(({ id, recipient, message_sealed }) => ({
      recipient,
      ...sealedMailSchema.parse(JSON.parse(sealer.open(message_sealed, id))),
    }));
}
