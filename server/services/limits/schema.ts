import { z } from 'zod';
import { LIMIT_NAMES } from './rules.ts';

export const limitNameSchema = z.enum(LIMIT_NAMES);

/** How much of something an organization has, and may have. */
export const limitUseSchema = z.object({
  name: limitNameSchema.describe(
    'What is limited: `open_versions` are deploys in progress, `stored_files` and `stored_bytes` belong to ' +
      'versions, `bucket_bytes` and `bucket_objects` to buckets.',
  ),
  used: z.number().int().describe('How much of it there is now: pieces, or bytes where the name says so.'),
  limit: z.number().int().describe('The most there may be, in the same unit; more is refused with 409.'),
});
export type LimitUse = z.infer<typeof limitUseSchema>;

/** A limit as operators see it, with the default of the installation. */
export const limitForOperatorSchema = limitUseSchema.extend({
  default_limit: z.number().int(),
  is_default: z.boolean(),
});

/** Zero allows nothing more to be created; what already exists stays. */
export const limitValueSchema = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
