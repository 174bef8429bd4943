import { expect } from 'vitest';
import type { OrganizationContext } from '#server/context.ts';
import { createWebhook } from '#server/services/webhooks/create-webhook.ts';
import { ALL_EVENTS, eventSchema } from '#server/services/webhooks/event-schemas.ts';
import { WEBHOOK_EVENTS } from '#server/services/webhooks/rules.ts';

/**
 * Subscribes a webhook to every event, and returns what it is sent: each event with its data, oldest first. Each
 * must have the fields and values of its schema, and no others.
 */
export async function listenToAll(context: OrganizationContext) {
  await createWebhook(context, { url: 'https://hooks.example.ca/', events: [...WEBHOOK_EVENTS] });
  return async (): Promise<{ type: string; data: Record<string, unknown> }[]> => {
    const { db } = context.app;
    const rows = await db.selectFrom('webhook_messages').select('body').orderBy('id').execute();
    return rows.map(({ body }) => {
      const event: { type: string; data: Record<string, unknown> } = JSON.parse(body);
      const known = ALL_EVENTS.find((each) => each === event.type);
      if (!known) throw new Error(`there is no event ${event.type}`);
      expect(eventSchema(known).parse(event)).toEqual(event);
      expect(event.data.organization_id).toBe(context.organization.id);
      return event;
    });
  };
}
