import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { requireCredentialRight } from '../credentials/require-credential-right.ts';
import { requireWebhook, toWebhook } from './queries.ts';
import { type Webhook, webhookInput } from './schema.ts';

/** Returns a webhook. @throws person_required, permission_required, webhook_not_found */
export async function getWebhook(
  context: OrganizationContext,
  input: z.input<typeof webhookInput>,
): Promise<Webhook> {
  requireCredentialRight(context, 'webhook.read');
  const { webhook_id } = webhookInput.parse(input);
  return toWebhook(context, await requireWebhook(context.app.db, context, webhook_id));
}
