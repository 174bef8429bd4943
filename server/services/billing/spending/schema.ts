import { z } from 'zod';
import { idSchema } from '../../shared/schema.ts';
import { LIMIT_ACTIONS, LIMIT_CENTS_MAX, LIMIT_SCOPES } from './limit-rules.ts';

const cents = z.number().int();
const scopeSchema = z
  .enum(LIMIT_SCOPES)
  .describe(
    'What the limit is for: the whole organization (taxes included), one site or one endpoint (without taxes).',
  );
const actionSchema = z
  .enum(LIMIT_ACTIONS)
  .describe(
    'At the limit, `notify` only tells the owners; `stop` also serves nothing (503) for the rest of the month.',
  );

export const setSpendingLimitInput = z
  .object({
    scope: scopeSchema,
    resource_id: idSchema.nullish().describe('The site or the endpoint; absent for the organization.'),
    amount_cents: z
      .number()
      .int()
      .min(0)
      .max(LIMIT_CENTS_MAX)
      .describe(
        'The most that may be spent in a month (UTC), in cents, up to a million dollars. 0 stops at the first cost.',
      ),
    action: actionSchema,
  })
  .refine(({ scope, resource_id }) => (scope === 'organization') === (resource_id == null), {
    path: ['resource_id'],
    message: 'names the site or the endpoint, and nothing for the organization',
  });
export const spendingLimitInput = z.object({ limit_id: idSchema });

/**
 * A limit with what has been spent under it this month: with taxes for the organization, without for anything
 * else.
 */
export const spendingLimitSchema = z.object({
  id: idSchema.describe('For removing the limit.'),
  scope: scopeSchema,
  resource_id: idSchema.nullable().describe('The site or the endpoint; null for the organization.'),
  name: z
    .string()
    .nullable()
    .describe('Of the site or the endpoint; null for the organization and for what has been deleted.'),
  amount_cents: cents.describe('The most that may be spent in a month (UTC), in cents.'),
  action: actionSchema,
  spent_cents: cents.describe('Spent so far this month, in cents.'),
  cap_cents: cents.describe(
    'The most that this month is billed, in cents, unless storage alone costs more: more than the limit when ' +
      'more had been spent when it was set.',
  ),
  is_stopped: z.boolean().describe('True while nothing is served because of this limit.'),
});
export type SpendingLimit = z.infer<typeof spendingLimitSchema>;
