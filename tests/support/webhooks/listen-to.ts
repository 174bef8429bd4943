import type { OrganizationContext } from '#server/context.ts';
import { createWebhook } from '#server/services/webhooks/create-webhook.ts';
import { WEBHOOK_EVENTS } from '#server/services/webhooks/rules.ts';

/**
 * Subscribes a webhook to every event, and returns what it is sent: each event with its data, oldest first.
 */
export async function listenToAll(context: OrganizationContext) {
  await createWebhook(context, { url: 'https://hooks.example.ca/', events: [...WEBHOOK_EVENTS] });
  return async (): Promise<{ type: string; data: Record<string, unknown> }[]> => {
    const { db } = context.app;
    const rows = await db.selectFrom('webhook_messages').select('body').orderBy('id').execute();
    return rows.map(({ body }) => JSON.parse(body));
  };
}
