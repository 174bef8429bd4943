import { z } from 'zod';
import { bundleSchema } from '../certificates/schema.ts';
import { createdAtSchema, idSchema, instantSchema, lineSchema, pageInputSchema } from '../shared/schema.ts';
import { HOSTNAME_TYPED_MAX, HSTS_CHOICES, REDIRECT_TARGET_MAX } from './rules.ts';

const hsts = z
  .enum(HSTS_CHOICES)
  .describe(
    'How long browsers remember to use https only: `off`, a `day` or a `year`. Sent while the certificate is ' +
      'active; it cannot be revoked before that time is over.',
  );

/** A CDN endpoint. */
export const endpointSchema = z.object({
  id: idSchema.describe('Identifies the endpoint in addresses and in usage rows (`cdn_endpoint_id`).'),
  hostname: z
    .string()
    .describe('The name that visitors use, in lower case and punycode, without a final dot.'),
  cname_target: z.string().describe('Where the hostname must point: a name used by this endpoint only.'),
  origin_type: z
    .enum(['site', 'redirect', 'http'])
    .describe(
      '`site` serves a site, `redirect` sends visitors elsewhere (301). `http` is not available yet.',
    ),
  site_id: idSchema.nullable().describe('The site that is served; null for redirects.'),
  site_name: z.string().nullable().describe('The current name of that site; null for redirects.'),
  redirect_target: z
    .string()
    .nullable()
    .describe(
      'The absolute address that visitors are sent to, with path and query added; null unless it is a redirect.',
    ),
  hsts,
  proven_at: instantSchema
    .nullable()
    .describe('When control of the hostname was first proven; nothing is served before. Null until then.'),
  url: z.string().describe('The address to visit: https once the certificate is active.'),
  created_at: createdAtSchema,
  updated_at: instantSchema.describe('When its origin or its settings last changed.'),
  bundle: bundleSchema
    .nullable()
    .describe(
      'The certificate of the hostname with what is still to do for it; null when the endpoint has none.',
    ),
});
export type Endpoint = z.infer<typeof endpointSchema>;

export const listEndpointsInput = z.object({ site_id: idSchema.optional() });
export const pageEndpointsInput = pageInputSchema.extend({
  site_id: idSchema.optional(),
  /** A hostname of up to 253 characters, encoded. */
  cursor: lineSchema.max(340).optional(),
  search: lineSchema.max(100).optional(),
});
export const endpointInput = z.object({ endpoint_id: idSchema });

const hostname = lineSchema
  .min(1)
  .max(HOSTNAME_TYPED_MAX)
  .describe(
    'The name to serve, such as `www.example.ca`: at most 237 characters once in punycode. A pasted address ' +
      'is read as its hostname. Wildcards are refused.',
  );
const redirectTarget = lineSchema
  .max(REDIRECT_TARGET_MAX)
  .nullish()
  .describe(
    'Where a redirect leads: an absolute http or https address of at most 2,048 characters. Not used by a site.',
  );

/** `site_id` goes with the origin `site`, `redirect_target` with `redirect`. */
export const createEndpointInput = z.object({
  hostname,
  origin_type: z
    .enum(['site', 'redirect', 'http'])
    .default('site')
    .describe(
      '`site` serves a site, `redirect` sends visitors elsewhere (301); `http` is refused: not available yet.',
    ),
  site_id: idSchema
    .nullish()
    .describe('Required for the origin `site` and only used there: the id of the site.'),
  redirect_target: redirectTarget,
});

/** The short form below a site. */
export const createSiteEndpointInput = z.object({ site_id: idSchema, hostname });

/** Omitted fields do not change. */
export const updateEndpointInput = z.object({
  endpoint_id: idSchema,
  origin_type: z
    .enum(['site', 'redirect', 'http'])
    .optional()
    .describe('Send it with what the new origin needs; stays as it is when absent.'),
  site_id: idSchema
    .nullish()
    .describe('The site to serve, for the origin `site`; stays as it is when absent.'),
  redirect_target: redirectTarget,
  hsts: hsts.optional(),
});
