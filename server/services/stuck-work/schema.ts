import { z } from 'zod';
import { instantSchema } from '../shared/schema.ts';

/** What a job could not do so far. */
export const stuckItemSchema = z.object({
  job: z.string(),
  /** Null for the run of the job as a whole. */
  item: z.string().nullable(),
  attempts: z.number().int(),
  error: z.string(),
  first_failed_at: instantSchema,
  next_attempt_at: instantSchema,
});
export type StuckItem = z.infer<typeof stuckItemSchema>;
