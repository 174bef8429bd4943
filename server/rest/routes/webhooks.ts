import { z } from 'zod';
import { createWebhook } from '../../services/webhooks/create-webhook.ts';
import { deleteWebhook } from '../../services/webhooks/delete-webhook.ts';
import { getWebhook } from '../../services/webhooks/get-webhook.ts';
import { listMessages } from '../../services/webhooks/list-messages.ts';
import { listWebhooks } from '../../services/webhooks/list-webhooks.ts';
import { redeliverMessage } from '../../services/webhooks/redeliver-message.ts';
import { rotateWebhookSecret } from '../../services/webhooks/rotate-webhook-secret.ts';
import {
  createWebhookInput,
  listWebhookMessagesInput,
  updateWebhookInput,
  webhookInput,
  webhookMessageInput,
  webhookMessageSchema,
  webhookSchema,
  webhookWithSecretSchema,
} from '../../services/webhooks/schema.ts';
import { sendTestEvent } from '../../services/webhooks/send-test-event.ts';
import { updateWebhook } from '../../services/webhooks/update-webhook.ts';
import { organizationRoute, type Route } from '../route.ts';

const tag = 'Webhooks';

export const webhookRoutes: Route[] = [
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/webhooks',
      id: 'listWebhooks',
      tag,
      summary: 'List webhooks, oldest first',
      success: { kind: 'json', status: 200, schema: z.array(webhookSchema) },
      errors: ['person_required'],
      refuses: 'credentials and operators',
    },
    ({ context }) => listWebhooks(context),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/webhooks',
      id: 'createWebhook',
      tag,
      summary: 'Create a webhook',
      description: '`secret` signs what is sent (Standard Webhooks). It is in this response and in no other.',
      body: { json: createWebhookInput },
      success: { kind: 'json', status: 201, schema: webhookWithSecretSchema },
      errors: ['person_required', 'webhook_url_refused', 'webhook_limit'],
      refuses: 'credentials and operators',
      location: ({ webhook }) => `/api/v1/webhooks/${webhook.id}`,
    },
    ({ context, body }) => createWebhook(context, body),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/webhooks/{webhook_id}',
      id: 'getWebhook',
      tag,
      summary: 'Get a webhook',
      params: webhookInput,
      success: { kind: 'json', status: 200, schema: webhookSchema },
      errors: ['person_required', 'webhook_not_found'],
      refuses: 'credentials and operators',
    },
    ({ context, params }) => getWebhook(context, params),
  ),
  organizationRoute(
    {
      method: 'PATCH',
      path: '/api/v1/webhooks/{webhook_id}',
      id: 'updateWebhook',
      tag,
      summary: 'Change a webhook, pause it or resume it',
      description:
        'A paused webhook receives nothing: waiting events are dropped, and events that happen meanwhile are not kept.',
      params: webhookInput,
      body: { json: updateWebhookInput.omit({ webhook_id: true }) },
      success: { kind: 'json', status: 200, schema: webhookSchema },
      errors: ['person_required', 'webhook_not_found', 'webhook_url_refused'],
      refuses: 'credentials and operators',
    },
    ({ context, params, body }) => updateWebhook(context, { ...params, ...body }),
  ),
  organizationRoute(
    {
      method: 'DELETE',
      path: '/api/v1/webhooks/{webhook_id}',
      id: 'deleteWebhook',
      tag,
      summary: 'Delete a webhook and its log',
      params: webhookInput,
      success: { kind: 'empty' },
      errors: ['person_required', 'webhook_not_found'],
      refuses: 'credentials and operators',
    },
    ({ context, params }) => deleteWebhook(context, params),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/webhooks/{webhook_id}/secret',
      id: 'rotateWebhookSecret',
      tag,
      summary: 'Replace the secret of a webhook',
      description:
        'For 24 hours the previous secret signs as well. `secret` is in this response and in no other.',
      params: webhookInput,
      success: { kind: 'json', status: 200, schema: webhookWithSecretSchema },
      errors: ['person_required', 'webhook_not_found'],
      refuses: 'credentials and operators',
    },
    ({ context, params }) => rotateWebhookSecret(context, params),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/webhooks/{webhook_id}/test',
      id: 'testWebhook',
      tag,
      summary: 'Send a test event',
      params: webhookInput,
      success: { kind: 'json', status: 201, schema: webhookMessageSchema },
      errors: ['person_required', 'webhook_not_found', 'webhook_paused'],
      refuses: 'credentials and operators',
    },
    ({ context, params }) => sendTestEvent(context, params),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/webhooks/{webhook_id}/messages',
      id: 'listWebhookMessages',
      tag,
      summary: 'List the events sent to a webhook in the last 30 days, newest first, with every attempt',
      params: webhookInput,
      query: listWebhookMessagesInput.omit({ webhook_id: true }),
      success: { kind: 'page', schema: webhookMessageSchema },
      errors: ['person_required', 'webhook_not_found'],
      refuses: 'credentials and operators',
    },
    ({ context, params, query }) => listMessages(context, { ...params, ...query }),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/webhooks/{webhook_id}/messages/{message_id}/redeliver',
      id: 'redeliverWebhookMessage',
      tag,
      summary: 'Redeliver an event now',
      params: webhookMessageInput,
      success: { kind: 'json', status: 200, schema: webhookMessageSchema },
      errors: ['person_required', 'webhook_not_found', 'webhook_message_not_found', 'webhook_paused'],
      refuses: 'credentials and operators',
    },
    ({ context, params }) => redeliverMessage(context, params),
  ),
];
