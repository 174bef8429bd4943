import { z } from 'zod';
import { idSchema } from '../../shared/schema.ts';
import { LIMIT_ACTIONS, LIMIT_CENTS_MAX, LIMIT_SCOPES } from './limit-rules.ts';

const cents = z.number().int();

export const setSpendingLimitInput = z
  .object({
    scope: z.enum(LIMIT_SCOPES),
    /** The site or the endpoint; absent for the organization. */
    resource_id: idSchema.nullish(),
    amount_cents: z.number().int().min(0).max(LIMIT_CENTS_MAX),
    action: z.enum(LIMIT_ACTIONS),
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
  id: idSchema,
  scope: z.enum(LIMIT_SCOPES),
  resource_id: idSchema.nullable(),
  /** Of the site or the endpoint. */
  name: z.string().nullable(),
  amount_cents: cents,
  action: z.enum(LIMIT_ACTIONS),
  spent_cents: cents,
  /**
   * The most that this month is billed, unless storage alone costs more: more than the limit when more had been spent when it was
   * set.
   */
  cap_cents: cents,
  is_stopped: z.boolean(),
});
export type SpendingLimit = z.infer<typeof spendingLimitSchema>;
