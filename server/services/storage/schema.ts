import { z } from 'zod';
import { idSchema, instantSchema, lineSchema } from '../shared/schema.ts';
import {
  BUCKET_STATUSES,
  CONSOLE_CORS_METHODS,
  CORS_ORIGINS_MAX,
  isBucketName,
  isCorsOrigin,
  isPageOrigin,
  REGION,
} from './rules.ts';

/** A bucket (specification, section 3). */
export const bucketSchema = z.object({
  id: idSchema,
  name: z.string(),
  /** The name by which S3 clients know it. */
  external_id: z.string(),
  region: z.string(),
  status: z.enum(BUCKET_STATUSES),
  cors_enabled: z.boolean(),
  cors_origins: z.array(z.string()),
  /** Objects and their bytes, uploads under way not included. */
  object_count: z.number().int(),
  stored_bytes: z.number().int(),
  /** How far a job has got that empties it; null when none does. */
  emptying: z
    .object({
      requested_at: instantSchema,
      /** Of what was stored before the request. */
      object_total: z.number().int(),
      removed_objects: z.number().int(),
    })
    .nullable(),
  created_at: instantSchema,
});
export type Bucket = z.infer<typeof bucketSchema>;

const corsOrigin = lineSchema
  .max(300)
  .refine(isCorsOrigin, 'must be * or an origin such as https://example.ca');
const cors = {
  cors_enabled: z.boolean(),
  /** Looked at only where CORS is on. */
  cors_origins: z.array(corsOrigin).max(CORS_ORIGINS_MAX).optional(),
};

export const bucketInput = z.object({ bucket_id: idSchema });
export const createBucketInput = z.object({
  name: z
    .string()
    .refine(
      isBucketName,
      'must be 3 to 63 lower-case letters, digits, dots and hyphens, beginning and ending with a letter or digit',
    ),
  region: z.literal(REGION).default(REGION),
  cors_enabled: cors.cors_enabled.default(false),
  cors_origins: cors.cors_origins,
});
export const updateBucketInput = bucketInput.extend(cors);

/** A request that a script of a page would send to a bucket. */
export const checkCorsInput = bucketInput.extend({
  origin: lineSchema.max(300).refine(isPageOrigin, 'must be an origin such as https://example.ca'),
  method: z.enum(CONSOLE_CORS_METHODS),
  /** Names of request headers, separated by commas, as Access-Control-Request-Headers has them. */
  headers: lineSchema
    .max(1_000)
    .regex(/^[\w!#$%&'*+.^`|~, -]*$/, 'must be names of headers, separated by commas')
    .default(''),
});

/** What a browser would be told of such a request. */
export const corsCheckSchema = z.object({
  is_allowed: z.boolean(),
  /** What no rule of the bucket allows; null when it is allowed. */
  refused_part: z.enum(['rules', 'origin', 'method', 'headers']).nullable(),
  /** The headers of the answer that let the script see it. */
  answer_headers: z.record(z.string(), z.string()),
});
export type CorsCheck = z.infer<typeof corsCheckSchema>;
