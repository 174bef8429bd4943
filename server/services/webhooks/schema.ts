import { z } from 'zod';
import { idSchema, instantSchema, pageInputSchema, pageOf, shownLineSchema } from '../shared/schema.ts';
import { DELIVERY_PROBLEMS, TEST_EVENT, WEBHOOK_EVENTS } from './rules.ts';

export const webhookEventSchema = z.enum(WEBHOOK_EVENTS);

/** An address that receives events of an organization. */
export const webhookSchema = z.object({
  id: idSchema,
  url: z.string(),
  description: z.string(),
  events: z.array(webhookEventSchema),
  status: z.enum(['active', 'paused']),
  /** `failing`: nothing arrived for three days; `gone`: it answered 410. Null unless paused. */
  pause_reason: z.enum(['person', 'failing', 'gone']).nullable(),
  /** When the first failure since the last success happened. */
  failing_since: instantSchema.nullable(),
  last_delivered_at: instantSchema.nullable(),
  /** Events that were not kept because too many were waiting. */
  not_kept: z.number().int(),
  /** Until when the secret before the last rotation signs as well. */
  former_secret_until: instantSchema.nullable(),
  created_at: instantSchema,
});
export type Webhook = z.infer<typeof webhookSchema>;

const given = z.object({
  /** Where events are posted to. */
  url: z.url({ protocol: /^https?$/ }).max(2_000),
  description: shownLineSchema.max(200),
  events: z
    .array(webhookEventSchema)
    .min(1)
    .max(WEBHOOK_EVENTS.length)
    .transform((events) => [...new Set(events)]),
});

export const webhookInput = z.object({ webhook_id: idSchema });
export const createWebhookInput = given.extend({ description: given.shape.description.default('') });
/** Absent fields do not change. */
export const updateWebhookInput = webhookInput.extend({
  ...given.partial().shape,
  is_paused: z.boolean().optional(),
});
/** The secret is in this response and in no other. */
export const webhookWithSecretSchema = z.object({ webhook: webhookSchema, secret: z.string() });
export type WebhookWithSecret = z.infer<typeof webhookWithSecretSchema>;

const attemptSchema = z.object({
  at: instantSchema,
  duration_ms: z.number().int(),
  /** The HTTP status of the response; null without one. */
  status: z.number().int().nullable(),
  /** Null when it was delivered. */
  problem: z.enum(DELIVERY_PROBLEMS).nullable(),
  /** The beginning of the response. */
  answer: z.string().nullable(),
});
export type WebhookAttempt = z.infer<typeof attemptSchema>;

/** An event on its way to a webhook. */
export const webhookMessageSchema = z.object({
  /** The same in every attempt, as `webhook-id`. */
  id: idSchema,
  event: z.enum([...WEBHOOK_EVENTS, TEST_EVENT]),
  status: z.enum(['waiting', 'delivered', 'failed']),
  created_at: instantSchema,
  next_attempt_at: instantSchema.nullable(),
  /** What is sent. */
  body: z.string(),
  /** Newest first. */
  attempts: z.array(attemptSchema),
});
export type WebhookMessage = z.infer<typeof webhookMessageSchema>;

export const listWebhookMessagesInput = webhookInput.extend({
  ...pageInputSchema.shape,
  status: webhookMessageSchema.shape.status.optional(),
});
export const webhookMessagePageSchema = pageOf(webhookMessageSchema);
export const webhookMessageInput = webhookInput.extend({ message_id: idSchema });
