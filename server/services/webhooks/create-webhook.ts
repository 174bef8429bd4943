import { sql } from 'kysely';
import type { z } from 'zod';
import { actorName, type OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { requireCredentialRight } from '../credentials/require-credential-right.ts';
import { requireLiveOrganization } from '../organizations/require-live-organization.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { checkUrl } from './check-url.ts';
import { newSecret } from './new-secret.ts';
import { findWebhooks, toWebhook, type WebhookRow } from './queries.ts';
import { WEBHOOKS_MAX } from './rules.ts';
import { createWebhookInput, type WebhookWithSecret } from './schema.ts';

/**
 * Creates a webhook for an address. Returns it with the signing secret, which no later response contains.
 * @throws webhook_url_refused, webhook_limit, person_required, permission_required
 */
export async function createWebhook(
  context: OrganizationContext,
  input: z.input<typeof createWebhookInput>,
): Promise<WebhookWithSecret> {
  requireCredentialRight(context, 'webhook.manage');
  const { url, description, events } = createWebhookInput.parse(input);
  const { app, organization } = context;
  const now = app.clock.now();
  const id = newId(now);
  const secret = newSecret();
  const row: WebhookRow = {
    id,
    organization_id: organization.id,
    url: checkUrl(app.config, url),
    description,
    events: JSON.stringify(events),
    secret_sealed: app.sealer.seal(secret, id),
    former_secret_sealed: null,
    former_until: null,
    created_by: actorName(context.actor),
    created_at: now,
    updated_at: now,
    paused_at: null,
    pause_reason: null,
    failing_since: null,
    last_delivered_at: null,
    not_kept: 0,
  };
  await inUnitOfWork(context, async ({ trx, audit }) => {
    // Two at once wait for each other here, so that no organization gets more than it may have.
    await trx
      .updateTable('organizations')
      .set({ updated_at: sql`updated_at` })
      .where('id', '=', organization.id)
      .execute();
    await requireLiveOrganization(trx, organization.id);
    const others = await findWebhooks(trx, organization.id);
    if (others.length >= WEBHOOKS_MAX) throw new AppError('webhook_limit', { max: WEBHOOKS_MAX });
    await trx.insertInto('webhooks').values(row).execute();
    await audit({
      action: 'webhook.create',
      resource_type: 'webhook',
      resource_id: id,
      organization_id: organization.id,
      after: { name: hostOf(row.url), events },
    });
  });
  return { webhook: toWebhook(context, row), secret };
}

/** A webhook's name in the log: paths of addresses are often secrets. */
export function hostOf(url: string): string {
  return new URL(url).host;
}
