import type { z } from 'zod';
import { inTransaction } from '#db/transaction.ts';
import type { RequestContext } from '#server/context.ts';
import { createWebhook } from '#server/services/webhooks/create-webhook.ts';
import { deliverWebhooks } from '#server/services/webhooks/deliver-webhooks.ts';
import { listMessages } from '#server/services/webhooks/list-messages.ts';
import { queueWebhooks } from '#server/services/webhooks/queue-webhooks.ts';
import type { createWebhookInput } from '#server/services/webhooks/schema.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { FakeLookup } from '#tests/support/dns/fake-lookup.ts';
import { LOCAL_WEBHOOKS, startWebhookReceiver } from '#tests/support/webhooks/webhook-receiver.ts';

/** The job that delivers. */
export const jobOf = (app: TestApp): RequestContext => ({
  app,
  actor: { kind: 'job', name: 'deliver-webhooks' },
  requestId: '',
  address: '',
});

/** A person with a receiver for webhooks, which the tests create, fill and deliver. */
export async function prepareWebhooks(
  input: Partial<z.input<typeof createWebhookInput>> = {},
  environment: Record<string, string> = LOCAL_WEBHOOKS,
) {
  const lookup = new FakeLookup();
  const app = await createTestApp({ environment, lookup });
  const { context } = await createTestPerson(app);
  const receiver = await startWebhookReceiver();
  const create = (more: Partial<z.input<typeof createWebhookInput>> = {}) =>
    createWebhook(context, { url: receiver.url, events: ['invoice.paid'], ...input, ...more });
  const tell = (id = 'in_1', organizationId = context.organization.id) =>
    inTransaction(app.db, (trx) =>
      queueWebhooks(trx, app, organizationId, 'invoice.paid', {
        invoice_id: id,
        number: null,
        amount_cents: 100,
      }),
    );
  const deliver = () => deliverWebhooks(jobOf(app));
  const messagesOf = async (webhook_id: string) => (await listMessages(context, { webhook_id })).items;
  return { app, context, lookup, receiver, create, tell, deliver, messagesOf };
}
