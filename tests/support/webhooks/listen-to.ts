import { expect } from 'vitest';
import type { OrganizationContext } from '#server/context.ts';
import { createWebhook } from '#server/services/webhooks/create-webhook.ts';
import { WEBHOOK_EVENTS } from '#server/services/webhooks/rules.ts';
import { readDocumentedEvents } from './documented-events.ts';

/**
 * Subscribes a webhook to every event, and returns what it is sent: each event with its data, oldest first. Their
 * fields must be those of the manual.
 */
export async function listenToAll(context: OrganizationContext) {
  await createWebhook(context, { url: 'https://hooks.example.ca/', events: [...WEBHOOK_EVENTS] });
  const documented = readDocumentedEvents();
  return async (): Promise<{ type: string; data: Record<string, unknown> }[]> => {
    const { db } = context.app;
    const rows = await db.selectFrom('webhook_messages').select('body').orderBy('id').execute();
    const events: { type: string; data: Record<string, unknown> }[] = rows.map(({ body }) =>
      JSON.parse(body),
    );
    for (const { type, data } of events) {
      const { organization_id, ...rest } = data;
      expect([organization_id, ...Object.keys(rest).sort()], type).toEqual([
        context.organization.id,
        ...(documented.get(type) ?? ['not documented']),
      ]);
    }
    return events;
  };
}
