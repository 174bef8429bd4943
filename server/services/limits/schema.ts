import { z } from 'zod';
import { LIMIT_NAMES } from './rules.ts';

export const limitNameSchema = z.enum(LIMIT_NAMES);

/** How much of something an organization has, and may have. */
export const limitUseSchema = z.object({
  name: limitNameSchema,
  used: z.number().int(),
  limit: z.number().int(),
});
export type LimitUse = z.infer<typeof limitUseSchema>;

/** A limit as operators see it, with the default of the installation. */
export const limitForOperatorSchema = limitUseSchema.extend({
  default_limit: z.number().int(),
  is_default: z.boolean(),
});

/** Zero allows nothing more to be created; what already exists stays. */
export const limitValueSchema = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
