import type { Selectable } from 'kysely';
import type { OutgoingMailsTable } from '#db/schema/outgoing-mails.ts';
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts';
import type { App, RequestContext } from '#server/context.ts';
import {
  MAIL_CONNECTIONS_MAX,
  MAIL_TIMEOUTS,
  type MailTimeouts,
  type MailTransport,
  openMailTransport,
} from './open-mail-transport.ts';
import { sealedMailSchema } from './queue-mail.ts';
import {
  type DeliveryError,
  describeDelivery,
  judgeDelivery,
  MAIL_ATTEMPTS_MIN,
  MAIL_TRIED_FOR_MS,
  retryDelayMs,
} from './rules.ts';

type MailRow = Selectable<OutgoingMailsTable>;
interface Outcome {
  as: 'sent' | 'deferred' | 'given_up';
  /** The server could not be used at all. */
  isAway: boolean;
}

const BATCH = 100;
/** While a node holds a message no other node takes it; after a crash another one may. */
const CLAIM_MS = MAIL_TIMEOUTS.messageMs + 4 * 60_000;

/**
 * Sends the messages that are due and returns the results. A message is taken by one node at a time. A node
 * that ends between the server's reply and its own record of it leaves a message that is sent once more,
 * under the same Message-ID. A sent or abandoned message keeps its record and loses its content.
 */
export async function sendDueMails(
  context: RequestContext,
  timeouts: MailTimeouts = MAIL_TIMEOUTS,
): Promise<{ sent: number; deferred: number; given_up: number }> {
  const { app } = context;
  const result = { sent: 0, deferred: 0, given_up: 0 };
  const { mail } = app.config;
  if (!mail) return result;
  const due = await app.db
    .selectFrom('outgoing_mails')
    .select(['id', 'attempts', 'next_attempt_at'])
    .where('next_attempt_at', '<=', app.clock.now())
    .orderBy('next_attempt_at')
    .limit(BATCH)
    .execute();
  if (due.length === 0) return result;
  const transport = app.outgoing.outsideTransactions(
    'mail',
    await openMailTransport(app.config, mail, timeouts),
  );
  let isAway = false;
  try {
    await mapConcurrently(due, MAIL_CONNECTIONS_MAX, async (row) => {
      if (isAway) return;
      const claimed = await claim(app, row);
      if (!claimed) return;
      const outcome = await deliver(app, transport, claimed);
      result[outcome.as] += 1;
      isAway ||= outcome.isAway;
    });
  } finally {
    transport.close();
  }
  return result;
}

/** Takes a due message for this node; null when another one was faster. */
async function claim(
  app: App,
  seen: Pick<MailRow, 'id' | 'attempts' | 'next_attempt_at'>,
): Promise<MailRow | null> {
  const row = await app.db
    .updateTable('outgoing_mails')
    .set({ attempts: seen.attempts + 1, next_attempt_at: app.clock.now() + CLAIM_MS })
    .where('id', '=', seen.id)
    .where('attempts', '=', seen.attempts)
    .where('next_attempt_at', '=', seen.next_attempt_at)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Tries once and records the result. */
async function deliver(app: App, transport: MailTransport, row: MailRow): Promise<Outcome> {
  const message = openMessage(app, row);
  if (message === null) return giveUp(app, row, 'the message cannot be opened with this master key');
  const now = app.clock.now();
  const { expires_at } = message;
  if (expires_at !== null && now >= expires_at) return giveUp(app, row, row.last_error ?? 'expired');
  try {
    await transport.send({ ...message, id: row.id, recipient: row.recipient, at: now });
  } catch (error) {
    const known = error instanceof Error ? (error as DeliveryError) : {};
    const verdict = judgeDelivery(known);
    const reason = describeDelivery(known);
    const endsAt = endOf(row, expires_at, app.clock.now());
    const isLast = verdict === 'refused' || app.clock.now() >= endsAt;
    const outcome = isLast ? await giveUp(app, row, reason) : await postpone(app, row, reason, endsAt);
    return { ...outcome, isAway: verdict === 'away' };
  }
  await finish(app, row, { sent_at: app.clock.now(), last_error: null });
  app.logger.info(factsOf(row), 'a mail was sent');
  return { as: 'sent', isAway: false };
}

/** When a message is abandoned if it has not been sent. */
function endOf({ created_at, attempts }: MailRow, expiresAt: number | null, now: number): number {
  const triedUntil = created_at + MAIL_TRIED_FOR_MS;
  const isTriedLonger = now >= triedUntil && attempts < MAIL_ATTEMPTS_MIN;
  return Math.min(
    isTriedLonger ? Number.POSITIVE_INFINITY : triedUntil,
    expiresAt ?? Number.POSITIVE_INFINITY,
  );
}

function openMessage(app: App, row: MailRow) {
  try {
    return sealedMailSchema.parse(JSON.parse(app.sealer.open(row.message_sealed, row.id)));
  } catch {
    return null;
  }
}

/** The last attempt is at the very end, however long the delays have become by then. */
async function postpone(app: App, row: MailRow, reason: string, endsAt: number): Promise<Outcome> {
  const nextAt = app.clock.now() + retryDelayMs(row.attempts, Math.random());
  await app.db
    .updateTable('outgoing_mails')
    .set({ next_attempt_at: Math.min(nextAt, endsAt), last_error: reason })
    .where('id', '=', row.id)
    .where('attempts', '=', row.attempts)
    .execute();
  app.logger.warn({ ...factsOf(row), reason }, 'a mail could not be sent yet');
  return { as: 'deferred', isAway: false };
}

async function giveUp(app: App, row: MailRow, reason: string): Promise<Outcome> {
  await finish(app, row, { failed_at: app.clock.now(), last_error: reason });
  app.logger.warn({ ...factsOf(row), reason }, 'a mail was abandoned');
  return { as: 'given_up', isAway: false };
}

async function finish(
  app: App,
  row: MailRow,
  outcome: Pick<Partial<MailRow>, 'sent_at' | 'failed_at' | 'last_error'>,
): Promise<void> {
  await app.db
    .updateTable('outgoing_mails')
    .set({ ...outcome, message_sealed: '', next_attempt_at: null })
    .where('id', '=', row.id)
    .execute();
}

/** What a log line may contain: the domain, not the recipient. */
function factsOf(row: MailRow) {
  return {
    mail: row.id,
    about: row.resource_type,
    about_id: row.resource_id,
    recipient_domain: row.recipient.split('@').at(-1),
    attempt: row.attempts,
  };
}
