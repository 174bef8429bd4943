import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { requireCredentialRight } from '../credentials/require-credential-right.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { checkUrl } from './check-url.ts';
import { hostOf } from './create-webhook.ts';
import { giveUpWaiting } from './give-up-waiting.ts';
import { lockWebhook, toWebhook, type WebhookRow } from './queries.ts';
import { updateWebhookInput, type Webhook } from './schema.ts';

/**
 * Changes the address or the events of a webhook, or pauses or resumes it. A paused webhook receives nothing:
 * waiting messages end, and events that happen meanwhile are not kept for it. Failures of an earlier address do not
 * count against a new one. Storing the same again changes and records nothing.
 * @throws webhook_url_refused, person_required, permission_required, webhook_not_found
 */
export async function updateWebhook(
  context: OrganizationContext,
  input: z.input<typeof updateWebhookInput>,
): Promise<Webhook> {
  requireCredentialRight(context, 'webhook.manage');
  const { webhook_id, url: typed, description, events, is_paused } = updateWebhookInput.parse(input);
  const { app, organization } = context;
  const url = typed === undefined ? undefined : checkUrl(app.config, typed);
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const row = await lockWebhook(trx, context, webhook_id);
    if (is_paused) await giveUpWaiting(trx, row, now);
    const wanted: Partial<WebhookRow> = {
      ...(url === undefined ? {} : { url }),
      ...(description === undefined ? {} : { description }),
      ...(events === undefined ? {} : { events: JSON.stringify(events) }),
      ...(url === undefined || url === row.url ? {} : { failing_since: null }),
      ...(is_paused === undefined || is_paused === (row.paused_at !== null) ? {} : pauseOf(is_paused, now)),
    };
    if (namesOf(wanted).every((name) => wanted[name] === row[name])) return toWebhook(context, row);
    const after = { ...row, ...wanted, updated_at: now };
    await trx
      .updateTable('webhooks')
      .set({ ...wanted, updated_at: now })
      .where('id', '=', row.id)
      .execute();
    await audit({
      action: 'webhook.update',
      resource_type: 'webhook',
      resource_id: row.id,
      organization_id: organization.id,
      before: factsOf(row),
      after: factsOf(after),
    });
    return toWebhook(context, after);
  });
}

function pauseOf(isPaused: boolean, now: number): Partial<WebhookRow> {
  return isPaused
    ? { paused_at: now, pause_reason: 'person' }
    : { paused_at: null, pause_reason: null, failing_since: null };
}

function namesOf(columns: Partial<WebhookRow>): (keyof WebhookRow)[] {
  return Object.keys(columns) as (keyof WebhookRow)[];
}

function factsOf({ url, description, events, paused_at }: WebhookRow) {
  return { name: hostOf(url), description, events: JSON.parse(events), paused: paused_at !== null };
}
