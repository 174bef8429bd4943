import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { requireCredentialRight } from '../credentials/require-credential-right.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { hostOf } from './create-webhook.ts';
import { requireWebhook, toMessage } from './queries.ts';
import { queueMessage } from './queue-webhooks.ts';
import { TEST_EVENT } from './rules.ts';
import { type WebhookMessage, webhookInput } from './schema.ts';

/**
 * Sends a test event, delivered like any other, and returns the waiting message.
 * @throws webhook_paused, too_many_requests, person_required, permission_required, webhook_not_found
 */
export async function sendTestEvent(
  context: OrganizationContext,
  input: z.input<typeof webhookInput>,
): Promise<WebhookMessage> {
  requireCredentialRight(context, 'webhook.manage');
  const { webhook_id } = webhookInput.parse(input);
  const { app, organization } = context;
  return inUnitOfWork(context, async ({ trx, audit }) => {
    const row = await requireWebhook(trx, context, webhook_id);
    if (row.paused_at !== null) throw new AppError('webhook_paused');
    await audit({
      action: 'webhook.test',
      resource_type: 'webhook',
      resource_id: row.id,
      organization_id: organization.id,
      after: { name: hostOf(row.url) },
    });
    const id = await queueMessage(trx, app, row, TEST_EVENT, { message: 'This is a test.' });
    if (id === null) throw new AppError('too_many_requests');
    const message = await trx
      .selectFrom('webhook_messages')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return toMessage(message, []);
  });
}
