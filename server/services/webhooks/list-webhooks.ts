import type { OrganizationContext } from '#server/context.ts';
import { requireCredentialRight } from '../credentials/require-credential-right.ts';
import { findWebhooks, toWebhook } from './queries.ts';
import type { Webhook } from './schema.ts';

/** Returns the webhooks of the organization, oldest first. @throws person_required, permission_required */
export async function listWebhooks(context: OrganizationContext): Promise<Webhook[]> {
  requireCredentialRight(context, 'webhook.read');
  const { app, organization } = context;
  return (await findWebhooks(app.db, organization.id)).map((row) => toWebhook(context, row));
}
