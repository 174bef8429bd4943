import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { requireCredentialRight } from '../credentials/require-credential-right.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { hostOf } from './create-webhook.ts';
import { newSecret } from './new-secret.ts';
import { lockWebhook, toWebhook } from './queries.ts';
import { FORMER_SECRET_MS } from './rules.ts';
import { type WebhookWithSecret, webhookInput } from './schema.ts';

/**
 * Returns a webhook with a new secret. For a day the previous one signs as well, so that a receiver has time
 * to switch.
 * @throws person_required, permission_required, webhook_not_found
 */
export async function rotateWebhookSecret(
  context: OrganizationContext,
  input: z.input<typeof webhookInput>,
): Promise<WebhookWithSecret> {
  requireCredentialRight(context, 'webhook.manage');
  const { webhook_id } = webhookInput.parse(input);
  const { app, organization } = context;
  const secret = newSecret();
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const row = await lockWebhook(trx, context, webhook_id);
    const values = {
      secret_sealed: app.sealer.seal(secret, row.id),
      former_secret_sealed: row.secret_sealed,
      former_until: now + FORMER_SECRET_MS,
      updated_at: now,
    };
    await trx.updateTable('webhooks').set(values).where('id', '=', row.id).execute();
    await audit({
      action: 'webhook.rotate',
      resource_type: 'webhook',
      resource_id: row.id,
      organization_id: organization.id,
      after: { name: hostOf(row.url) },
    });
    return { webhook: toWebhook(context, { ...row, ...values }), secret };
  });
}
