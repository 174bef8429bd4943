import { z } from 'zod';
import { bundleSchema } from '../certificates/schema.ts';
import { idSchema, instantSchema, lineSchema, pageInputSchema } from '../shared/schema.ts';
import { HOSTNAME_TYPED_MAX, HSTS_CHOICES, REDIRECT_TARGET_MAX } from './rules.ts';

/** A CDN endpoint. */
export const endpointSchema = z.object({
  id: idSchema,
  hostname: z.string(),
  /** Where the hostname must point: a name used by this endpoint only. */
  cname_target: z.string(),
  origin_type: z.enum(['site', 'redirect', 'http']),
  site_id: idSchema.nullable(),
  site_name: z.string().nullable(),
  redirect_target: z.string().nullable(),
  /** How long browsers remember to use https only, sent while the certificate is active. */
  hsts: z.enum(HSTS_CHOICES),
  /** When control of the hostname was first proven; nothing is served before. */
  proven_at: instantSchema.nullable(),
  /** The address to visit: https once the certificate is active. */
  url: z.string(),
  created_at: instantSchema,
  updated_at: instantSchema,
  bundle: bundleSchema.nullable(),
});
export type Endpoint = z.infer<typeof endpointSchema>;

export const listEndpointsInput = z.object({ site_id: idSchema.optional() });
export const pageEndpointsInput = pageInputSchema.extend({
  /** A hostname of up to 253 characters, encoded. */
  cursor: lineSchema.max(340).optional(),
  search: lineSchema.max(100).optional(),
});
export const endpointInput = z.object({ endpoint_id: idSchema });

const hostname = lineSchema.min(1).max(HOSTNAME_TYPED_MAX);
const redirectTarget = lineSchema.max(REDIRECT_TARGET_MAX);

/** `site_id` goes with the origin `site`, `redirect_target` with `redirect`. */
export const createEndpointInput = z.object({
  hostname,
  origin_type: z.enum(['site', 'redirect', 'http']).default('site'),
  site_id: idSchema.nullish(),
  redirect_target: redirectTarget.nullish(),
});

/** The short form below a site. */
export const createSiteEndpointInput = z.object({ site_id: idSchema, hostname });

/** Omitted fields do not change. */
export const updateEndpointInput = z.object({
  endpoint_id: idSchema,
  origin_type: z.enum(['site', 'redirect', 'http']).optional(),
  site_id: idSchema.nullish(),
  redirect_target: redirectTarget.nullish(),
  hsts: z.enum(HSTS_CHOICES).optional(),
});
