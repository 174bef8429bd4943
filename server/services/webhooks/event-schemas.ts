import { z } from 'zod';
import { creditSchema, reversalSchema } from '../billing/invoices/schema.ts';
import { PAYMENT_PROBLEMS } from '../billing/payments/dunning-rules.ts';
import { ALERT_SHARES } from '../billing/spending/limit-rules.ts';
import { spendingLimitSchema } from '../billing/spending/schema.ts';
import { certificateProblemSchema } from '../certificates/schema.ts';
import { idSchema, instantSchema } from '../shared/schema.ts';
import { TEST_EVENT, WEBHOOK_EVENTS, type WebhookEvent } from './rules.ts';

export type AnyEvent = WebhookEvent | typeof TEST_EVENT;
export const ALL_EVENTS: readonly AnyEvent[] = [...WEBHOOK_EVENTS, TEST_EVENT];

const cents = z.number().int();

const publishedSchema = z.object({
  site_id: idSchema.describe('The site that shows another version now.'),
  site_name: z.string().describe('The site as people call it.'),
  version_id: idSchema.describe('The version that went live.'),
  version_number: z.number().int().describe('The same version, counted from 1 within the site.'),
  url: z.string().describe('Where the site is served by the installation itself.'),
  actor: z
    .object({
      kind: z
        .enum(['person', 'credential', 'operator'])
        .describe(
          '`person`: someone signed in. `credential`: a program with keys. `operator`: the provider.',
        ),
      name: z.string().describe('The login of the person, or what the credential or token is called.'),
    })
    .describe('Who did it.'),
});

const certificateSchema = z.object({
  hostname: z.string().describe('The name that the certificate is for.'),
  endpoint_id: idSchema.nullable().describe('The endpoint that uses it; null if none does any more.'),
});
const validUntil = instantSchema.describe('Until when browsers accept the certificate.');

const invoiceSchema = z.object({
  invoice_id: idSchema.describe('For the calls about this invoice.'),
  number: z.string().nullable().describe('As printed; null until there is one.'),
  amount_cents: cents.describe('What is due or was paid, in cents, after credits and a balance.'),
});
const reversedSchema = invoiceSchema.extend({
  status: reversalSchema.shape.status,
  reversed_cents: cents.describe('The amount refunded or disputed, in cents.'),
});

/**
 * The `data` of each event besides the organization, with a sentence on when it is sent. Fields may be added; none
 * is removed or changes its meaning.
 */
export const EVENT_DATA = {
  'deploy.published': publishedSchema.describe('A version went live.'),
  'deploy.rolled_back': publishedSchema
    .extend({ reverted: z.number().int().describe('How many newer versions this took back.') })
    .describe('An earlier version went live again.'),
  'certificate.issued': certificateSchema
    .extend({
      valid_until: validUntil,
      is_renewal: z.boolean().describe('Whether it replaces an earlier certificate of the name.'),
    })
    .describe('A certificate was issued or renewed.'),
  'certificate.failed': certificateSchema
    .extend({
      problem: certificateProblemSchema.shape.code,
      detail: certificateProblemSchema.shape.detail,
      attempts: z.number().int().describe('How many attempts have failed since the last success.'),
      next_attempt_at: instantSchema.nullable().describe('When it is tried again; null if it is not.'),
    })
    .describe('An attempt to issue or renew a certificate failed.'),
  'certificate.expiring': certificateSchema
    .extend({
      valid_until: validUntil,
      is_expired: z.boolean().describe('Whether that moment has passed.'),
    })
    .describe('A certificate will not be renewed as things stand.'),
  'limit.reached': z
    .object({
      scope: spendingLimitSchema.shape.scope,
      resource_id: spendingLimitSchema.shape.resource_id,
      share: z.literal(ALERT_SHARES).describe('How much was reached, in percent.'),
      spent_cents: spendingLimitSchema.shape.spent_cents,
      limit_cents: cents.describe('The most that may be spent in a month (UTC), in cents.'),
      is_stopped: spendingLimitSchema.shape.is_stopped,
    })
    .describe('A share of a spending limit was reached: each once a month, the highest of several at once.'),
  'invoice.issued': invoiceSchema.describe('An invoice was issued.'),
  'invoice.paid': invoiceSchema.describe('An invoice was paid.'),
  'invoice.payment_failed': invoiceSchema
    .extend({
      problem: z
        .enum(PAYMENT_PROBLEMS)
        .describe(
          '`authentication`: the bank requires the cardholder to confirm. `failed`: for any other reason.',
        ),
      next_attempt_at: instantSchema.nullable().describe('When it is charged again; null if it is not.'),
    })
    .describe('An invoice could not be charged.'),
  'invoice.credited': invoiceSchema
    .extend({
      credit_cents: cents.describe('What this credit gives back, in cents, taxes included.'),
      reason: creditSchema.shape.reason,
      reason_fr: creditSchema.shape.reason_fr,
    })
    .describe('A part of an invoice was credited: less of it is due, or the next invoice is lower.'),
  'invoice.voided': invoiceSchema.describe('An invoice was voided: it will never be charged.'),
  'invoice.refunded': reversedSchema.describe('A refund of a payment began, succeeded or failed.'),
  'invoice.disputed': reversedSchema.describe(
    'The payer disputed a payment at their bank, or the dispute changed.',
  ),
  [TEST_EVENT]: z
    .object({ message: z.string().describe('A sentence for people.') })
    .describe('Somebody asked for a test event.'),
} satisfies Record<AnyEvent, z.ZodObject>;

/** The `data` of each event, as its sender gives it. */
export type WebhookData = { [Event in AnyEvent]: z.infer<(typeof EVENT_DATA)[Event]> };

const organizationSchema = z.object({
  organization_id: idSchema.describe('The organization in which it happened.'),
});

/** Returns the whole body of a delivery. */
export function eventSchema(event: AnyEvent) {
  return z.object({
    type: z.literal(event).describe('Tells events apart.'),
    timestamp: instantSchema.describe('When it happened; the same in every attempt.'),
    data: organizationSchema.extend(EVENT_DATA[event].shape).describe('What happened.'),
  });
}
