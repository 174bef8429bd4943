import { z } from 'zod';
import {
  createdAtSchema,
  idSchema,
  instantSchema,
  pageInputSchema,
  pageOf,
  shownLineSchema,
} from '../shared/schema.ts';
import { DELIVERY_PROBLEMS, TEST_EVENT, WEBHOOK_EVENTS } from './rules.ts';

const webhookEventSchema = z.enum(WEBHOOK_EVENTS);

/** An address that receives events of an organization. */
export const webhookSchema = z.object({
  id: idSchema.describe('For changing, testing and deleting the webhook.'),
  url: z.string().describe('Where events are posted to.'),
  description: z.string().describe('What it is for; empty if nobody said.'),
  events: z.array(webhookEventSchema).describe('Which events are sent; others are not.'),
  status: z
    .enum(['active', 'paused'])
    .describe('A `paused` webhook receives nothing, and what happens meanwhile is never sent to it.'),
  pause_reason: z
    .enum(['person', 'failing', 'gone'])
    .nullable()
    .describe(
      'Who or what paused it. `failing`: nothing arrived for three days, and the last event failed in all its ' +
        'attempts; `gone`: it answered 410. Null unless paused.',
    ),
  failing_since: instantSchema
    .nullable()
    .describe(
      'When the first failure since the last success or change of address happened; null while deliveries arrive.',
    ),
  last_delivered_at: instantSchema.nullable().describe('When an event last arrived; null if none has.'),
  not_kept: z.number().int().describe('Events that were not kept because 1,000 were already waiting.'),
  former_secret_until: instantSchema
    .nullable()
    .describe(
      'Until when the secret before the last rotation signs as well; null when only the current one does.',
    ),
  created_at: createdAtSchema,
});
export type Webhook = z.infer<typeof webhookSchema>;

const given = z.object({
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .describe(
      'Where events are posted to: https on the public internet unless the operator allows others. At most ' +
        '2,000 characters.',
    ),
  description: shownLineSchema.max(200).describe('What it is for, at most 200 characters; may be empty.'),
  events: z
    .array(webhookEventSchema)
    .min(1)
    .max(WEBHOOK_EVENTS.length)
    .transform((events) => [...new Set(events)])
    .describe('Which events are sent, at least one.'),
});

export const webhookInput = z.object({ webhook_id: idSchema });
export const createWebhookInput = given.extend({ description: given.shape.description.default('') });
/** Absent fields do not change. */
export const updateWebhookInput = webhookInput.extend({
  ...given.partial().shape,
  is_paused: z.boolean().optional().describe('True pauses it and drops what waits; false resumes it.'),
});
/** The secret is in this response and in no other. */
export const webhookWithSecretSchema = z.object({
  webhook: webhookSchema.describe('The webhook as it is now.'),
  secret: z
    .string()
    .describe(
      '`whsec_…`: the part after it is the key of the signatures, in base64. It is in this response and in no ' +
        'other.',
    ),
});
export type WebhookWithSecret = z.infer<typeof webhookWithSecretSchema>;

const attemptSchema = z.object({
  at: instantSchema.describe('When the request was sent.'),
  duration_ms: z.number().int().describe('How long it took, in milliseconds; 10,000 at most.'),
  status: z.number().int().nullable().describe('The HTTP status of the response; null without one.'),
  problem: z
    .enum(DELIVERY_PROBLEMS)
    .nullable()
    .describe('Why it failed; null when it was delivered. `status`: the response was not 2xx.'),
  answer: z.string().nullable().describe('The first 1,024 bytes of the response; null without one.'),
});
export type WebhookAttempt = z.infer<typeof attemptSchema>;

/** An event on its way to a webhook. */
export const webhookMessageSchema = z.object({
  id: idSchema.describe('The same in every attempt, as `webhook-id`.'),
  event: z
    .enum([...WEBHOOK_EVENTS, TEST_EVENT])
    .describe('What happened; `webhook.test` is sent on request.'),
  status: z
    .enum(['waiting', 'delivered', 'failed'])
    .describe('`waiting` for its next attempt, `delivered`, or `failed` after the last one.'),
  created_at: instantSchema.describe('When the event happened.'),
  next_attempt_at: instantSchema
    .nullable()
    .describe('When it is sent again; null once it is delivered or has failed.'),
  body: z.string().describe('The JSON that is sent, as text: signatures are computed over exactly this.'),
  attempts: z.array(attemptSchema).describe('Every request with this event, newest first.'),
});
export type WebhookMessage = z.infer<typeof webhookMessageSchema>;

export const listWebhookMessagesInput = webhookInput.extend({
  ...pageInputSchema.shape,
  status: webhookMessageSchema.shape.status.optional(),
});
export const webhookMessagePageSchema = pageOf(webhookMessageSchema);
export const webhookMessageInput = webhookInput.extend({ message_id: idSchema });
