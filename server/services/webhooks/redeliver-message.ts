import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { requireCredentialRight } from '../credentials/require-credential-right.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { hostOf } from './create-webhook.ts';
import { findAttempts, requireWebhook, toMessage } from './queries.ts';
import { type WebhookMessage, webhookMessageInput } from './schema.ts';

/**
 * Redelivers a message now, under the same id, keeping its earlier attempts. A waiting one is sent
 * immediately.
 * @throws webhook_paused, webhook_message_not_found, person_required, permission_required, webhook_not_found
 */
export async function redeliverMessage(
  context: OrganizationContext,
  input: z.input<typeof webhookMessageInput>,
): Promise<WebhookMessage> {
  requireCredentialRight(context, 'webhook.manage');
  const { webhook_id, message_id } = webhookMessageInput.parse(input);
  const { organization } = context;
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const webhook = await requireWebhook(trx, context, webhook_id);
    if (webhook.paused_at !== null) throw new AppError('webhook_paused');
    const row = await trx
      .updateTable('webhook_messages')
      .set({ next_attempt_at: now, attempts: 0, delivered_at: null, failed_at: null })
      .where('id', '=', message_id)
      .where('webhook_id', '=', webhook.id)
      .returningAll()
      .executeTakeFirst();
    if (!row) throw new AppError('webhook_message_not_found');
    await audit({
      action: 'webhook.redeliver',
      resource_type: 'webhook',
      resource_id: webhook.id,
      organization_id: organization.id,
      after: { name: hostOf(webhook.url), event: row.event, message_id: row.id },
    });
    const attempts = await findAttempts(trx, [row.id]);
    return toMessage(row, attempts.get(row.id) ?? []);
  });
}
