import { z } from 'zod';
import { idSchema, instantSchema } from '../shared/schema.ts';

/** A CDN endpoint (spec/console.md, section 3). */
export const endpointSchema = z.object({
  id: idSchema,
  hostname: z.string(),
  cname_target: z.string(),
  origin_type: z.enum(['site', 'redirect', 'http']),
  site_id: idSchema.nullable(),
  site_name: z.string().nullable(),
  redirect_target: z.string().nullable(),
  updated_at: instantSchema,
});
export type Endpoint = z.infer<typeof endpointSchema>;

export const listEndpointsInput = z.object({ site_id: idSchema.optional() });
