import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { requireCredentialRight } from '../credentials/require-credential-right.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { hostOf } from './create-webhook.ts';
import { lockWebhook } from './queries.ts';
import { webhookInput } from './schema.ts';

/**
 * Deletes a webhook with its waiting messages and its log.
 * @throws person_required, permission_required, webhook_not_found
 */
export async function deleteWebhook(
  context: OrganizationContext,
  input: z.input<typeof webhookInput>,
): Promise<void> {
  requireCredentialRight(context, 'webhook.manage');
  const { webhook_id } = webhookInput.parse(input);
  const { organization } = context;
  await inUnitOfWork(context, async ({ trx, audit }) => {
    const row = await lockWebhook(trx, context, webhook_id);
    await trx.deleteFrom('webhooks').where('id', '=', row.id).execute();
    await audit({
      action: 'webhook.delete',
      resource_type: 'webhook',
      resource_id: row.id,
      organization_id: organization.id,
      before: { name: hostOf(row.url) },
    });
  });
}
