import { z } from 'zod';
import { createWebhook } from '../services/webhooks/create-webhook.ts';
import { deleteWebhook } from '../services/webhooks/delete-webhook.ts';
import { getWebhook } from '../services/webhooks/get-webhook.ts';
import { listMessages } from '../services/webhooks/list-messages.ts';
import { listWebhooks } from '../services/webhooks/list-webhooks.ts';
import { redeliverMessage } from '../services/webhooks/redeliver-message.ts';
import { rotateWebhookSecret } from '../services/webhooks/rotate-webhook-secret.ts';
import {
  createWebhookInput,
  listWebhookMessagesInput,
  updateWebhookInput,
  webhookInput,
  webhookMessageInput,
  webhookMessagePageSchema,
  webhookMessageSchema,
  webhookSchema,
  webhookWithSecretSchema,
} from '../services/webhooks/schema.ts';
import { sendTestEvent } from '../services/webhooks/send-test-event.ts';
import { updateWebhook } from '../services/webhooks/update-webhook.ts';
import { organizationProcedure, router } from './trpc.ts';

export const webhooksRouter = router({
  list: organizationProcedure.output(z.array(webhookSchema)).query(({ ctx }) => listWebhooks(ctx)),
  get: organizationProcedure
    .input(webhookInput)
    .output(webhookSchema)
    .query(({ ctx, input }) => getWebhook(ctx, input)),
  create: organizationProcedure
    .input(createWebhookInput)
    .output(webhookWithSecretSchema)
    .mutation(({ ctx, input }) => createWebhook(ctx, input)),
  update: organizationProcedure
    .input(updateWebhookInput)
    .output(webhookSchema)
    .mutation(({ ctx, input }) => updateWebhook(ctx, input)),
  rotateSecret: organizationProcedure
    .input(webhookInput)
    .output(webhookWithSecretSchema)
    .mutation(({ ctx, input }) => rotateWebhookSecret(ctx, input)),
  delete: organizationProcedure.input(webhookInput).mutation(({ ctx, input }) => deleteWebhook(ctx, input)),
  test: organizationProcedure
    .input(webhookInput)
    .output(webhookMessageSchema)
    .mutation(({ ctx, input }) => sendTestEvent(ctx, input)),
  messages: organizationProcedure
    .input(listWebhookMessagesInput)
    .output(webhookMessagePageSchema)
    .query(({ ctx, input }) => listMessages(ctx, input)),
  redeliver: organizationProcedure
    .input(webhookMessageInput)
    .output(webhookMessageSchema)
    .mutation(({ ctx, input }) => redeliverMessage(ctx, input)),
});
