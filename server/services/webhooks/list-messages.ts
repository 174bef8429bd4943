import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { requireCredentialRight } from '../credentials/require-credential-right.ts';
import { readIdCursor, toPage } from '../shared/pages.ts';
import { findAttempts, requireWebhook, toMessage } from './queries.ts';
import { listWebhookMessagesInput, type webhookMessagePageSchema } from './schema.ts';

/**
 * Returns a page of the messages sent to a webhook in the last 30 days, newest first, each with its attempts.
 * @throws person_required, permission_required, webhook_not_found, invalid_input for an unknown cursor
 */
export async function listMessages(
  context: OrganizationContext,
  input: z.input<typeof listWebhookMessagesInput>,
): Promise<z.infer<typeof webhookMessagePageSchema>> {
  requireCredentialRight(context, 'webhook.read');
  const { webhook_id, cursor, limit, status } = listWebhookMessagesInput.parse(input);
  const { db } = context.app;
  const webhook = await requireWebhook(db, context, webhook_id);
  let query = db.selectFrom('webhook_messages').selectAll().where('webhook_id', '=', webhook.id);
  if (cursor !== undefined) query = query.where('id', '<', readIdCursor(cursor));
  if (status === 'waiting') query = query.where('next_attempt_at', 'is not', null);
  if (status === 'delivered') query = query.where('delivered_at', 'is not', null);
  if (status === 'failed') query = query.where('failed_at', 'is not', null);
  const rows = await query
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  const { page, next_cursor } = toPage(rows, limit, ({ id }) => id);
  const attempts = await findAttempts(
    db,
    page.map(({ id }) => id),
  );
  return { items: page.map((row) => toMessage(row, attempts.get(row.id) ?? [])), next_cursor };
}
