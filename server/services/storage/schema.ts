import { z } from 'zod';
import { idSchema, instantSchema, lineSchema, pageInputSchema, pageOf } from '../shared/schema.ts';
import {
  BUCKET_STATUSES,
  CONSOLE_CORS_METHODS,
  CORS_ORIGINS_MAX,
  isBucketName,
  isCorsOrigin,
  isObjectKey,
  isPageOrigin,
  LINK_SECONDS_MAX,
  LINK_SECONDS_MIN,
  PREVIEW_TYPES,
  REGION,
  REMOVED_AT_ONCE_MAX,
  SIGNED_PARTS_MAX,
} from './rules.ts';

/** A bucket. */
export const bucketSchema = z.object({
  id: idSchema,
  name: z.string(),
  /** Its name for S3 clients. */
  external_id: z.string(),
  region: z.string(),
  status: z.enum(BUCKET_STATUSES),
  cors_enabled: z.boolean(),
  cors_origins: z.array(z.string()),
  /** Whether anyone may read its objects by their addresses, without a key. */
  public_read: z.boolean(),
  /** Objects and their bytes, without uploads in progress. */
  object_count: z.number().int(),
  stored_bytes: z.number().int(),
  /** The progress of the job that empties it; null when none does. */
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

export const pageBucketsInput = pageInputSchema.extend({ search: lineSchema.max(100).optional() });
export const bucketPageSchema = pageOf(bucketSchema);

const corsOrigin = lineSchema
  .max(300)
  .refine(isCorsOrigin, 'must be * or an origin such as https://example.ca');
const cors = {
  cors_enabled: z.boolean(),
  /** Only used when CORS is on. */
  cors_origins: z.array(corsOrigin).max(CORS_ORIGINS_MAX).optional(),
};

export const bucketInput = z.object({ bucket_id: idSchema });
export const createBucketInput = z.object({
  name: z
    .string()
    .refine(
      isBucketName,
      'must be 3 to 63 lower-case letters, digits, dots and hyphens, beginning and ending with a letter or digit, ' +
        'without a dot next to another dot or a hyphen, and no IP address',
    ),
  region: z.literal(REGION).default(REGION),
  cors_enabled: cors.cors_enabled.default(false),
  cors_origins: cors.cors_origins,
});
/** What is absent stays as it is. */
export const updateBucketInput = bucketInput.extend({
  cors_enabled: cors.cors_enabled.optional(),
  cors_origins: cors.cors_origins,
  /** Lets anyone read its objects; only for those who may create and delete buckets. */
  public_read: z.boolean().optional(),
});

/** A request that a page's script would send to a bucket. */
export const checkCorsInput = bucketInput.extend({
  origin: lineSchema.max(300).refine(isPageOrigin, 'must be an origin such as https://example.ca'),
  method: z.enum(CONSOLE_CORS_METHODS),
  /** Names of request headers, separated by commas, as in Access-Control-Request-Headers. */
  headers: lineSchema
    .max(1_000)
    .regex(/^[\w!#$%&'*+.^`|~, -]*$/, 'must be names of headers, separated by commas')
    .default(''),
});

/** The server's decision about such a request of a browser. */
export const corsCheckSchema = z.object({
  is_allowed: z.boolean(),
  /** What no rule of the bucket allows; null when it is allowed. */
  refused_part: z.enum(['rules', 'origin', 'method', 'headers']).nullable(),
  /** The response headers that allow the script to read it. */
  answer_headers: z.record(z.string(), z.string()),
});
export type CorsCheck = z.infer<typeof corsCheckSchema>;

const objectKey = z.string().min(1).refine(isObjectKey, 'must be a key of at most 1,024 bytes');
/** A prefix of keys; empty for the whole bucket. */
const keyPrefix = z
  .string()
  .refine((text) => text === '' || isObjectKey(text), 'must be the beginning of a key');

/** One object of a list. */
const listedObjectSchema = z.object({
  kind: z.literal('object'),
  key: z.string(),
  /** Bytes. */
  size: z.number().int(),
  etag: z.string(),
  modified_at: instantSchema,
});
/** Objects whose keys share everything up to a slash. */
const folderSchema = z.object({ kind: z.literal('folder'), key: z.string() });
const objectEntrySchema = z.discriminatedUnion('kind', [folderSchema, listedObjectSchema]);
export type ObjectEntry = z.infer<typeof objectEntrySchema>;

export const listObjectsInput = bucketInput.extend({
  ...pageInputSchema.shape,
  // A key of 1,024 bytes in base64.
  cursor: lineSchema.max(1_400).optional(),
  prefix: keyPrefix.default(''),
  /** A prefix of the names after `prefix`. */
  search: keyPrefix.default(''),
});
/** Ordered by name; an entry that ends with a slash and is a folder has objects below it. */
export const objectPageSchema = pageOf(objectEntrySchema);

/** An object with all its details. */
export const objectSchema = listedObjectSchema.omit({ kind: true }).extend({
  content_type: z.string(),
  /** Other headers that are returned as sent, by lower-case name. */
  headers: z.record(z.string(), z.string()),
  /** User metadata without `x-amz-meta-`. */
  metadata: z.record(z.string(), z.string()),
  tags: z.array(z.object({ key: z.string(), value: z.string() })),
  /** Of a multipart upload; null for a single-piece one. */
  part_count: z.number().int().nullable(),
  /** Where anyone reads it; null while its bucket is not public. */
  public_url: z.string().nullable(),
  checksum: z.object({ algorithm: z.string(), value: z.string() }).nullable(),
});
export type StoredObject = z.infer<typeof objectSchema>;
export const objectInput = bucketInput.extend({ key: objectKey });

export const deleteObjectsInput = bucketInput.extend({
  keys: z.array(objectKey).max(REMOVED_AT_ONCE_MAX).default([]),
  /** Everything whose key begins with one of these. */
  prefixes: z.array(objectKey).max(100).default([]),
});
export const objectRemovalSchema = z.object({
  removed_objects: z.number().int(),
  /** False when there is more below the prefixes: call again. */
  is_done: z.boolean(),
});

/** An upload in parts that is not completed. */
export const unfinishedUploadSchema = z.object({
  id: idSchema,
  key: z.string(),
  /** Who began it; null where that was not noted. */
  started_by: z
    .object({
      kind: z.enum(['person', 'credential']),
      /** Of the person or the credential. */
      id: z.string(),
      /** A login, or the name of the credential, which may have been deleted since; null for a person no longer known. */
      name: z.string().nullable(),
    })
    .nullable(),
  started_at: instantSchema,
  part_count: z.number().int(),
  /** Of its parts. */
  stored_bytes: z.number().int(),
  /** When the last part came; null before the first. */
  last_part_at: instantSchema.nullable(),
  /** When it is abandoned if it is not completed until then. */
  expires_at: instantSchema,
});
export type UnfinishedUpload = z.infer<typeof unfinishedUploadSchema>;

export const listUploadsInput = bucketInput.extend({
  ...pageInputSchema.shape,
  // An id and a key of 1,024 bytes in base64.
  cursor: lineSchema.max(1_450).optional(),
});
/** Ordered by key, and by the time they began. */
export const uploadPageSchema = pageOf(unfinishedUploadSchema);

/** What the unfinished uploads of a bucket come to. */
export const uploadTotalsSchema = z.object({
  upload_count: z.number().int(),
  stored_bytes: z.number().int(),
  /** Of them those that began more than a day ago, and of which nothing has come for a day. */
  idle_upload_count: z.number().int(),
  idle_stored_bytes: z.number().int(),
  /** The progress of the job that abandons those; null when none does. */
  abandoning: z
    .object({
      requested_at: instantSchema,
      upload_total: z.number().int(),
      removed_uploads: z.number().int(),
    })
    .nullable(),
});
export type UploadTotals = z.infer<typeof uploadTotalsSchema>;

export const uploadInput = bucketInput.extend({ upload_id: idSchema });

/** What an address is signed for. */
export const signObjectInput = z.discriminatedUnion('operation', [
  objectInput.extend({
    operation: z.literal('get'),
    disposition: z.enum(['inline', 'attachment']),
    /** The content type of the response; as stored when absent. */
    content_type: z.enum(PREVIEW_TYPES).optional(),
  }),
  objectInput.extend({ operation: z.enum(['put', 'create_upload']) }),
  objectInput.extend({
    operation: z.literal('upload_parts'),
    upload_id: idSchema,
    part_numbers: z.array(z.number().int().min(1).max(10_000)).min(1).max(SIGNED_PARTS_MAX),
  }),
  objectInput.extend({
    operation: z.literal('list_parts'),
    upload_id: idSchema,
    /** Parts after this number; a page has a thousand. */
    after_part: z.number().int().min(0).max(10_000).default(0),
  }),
  objectInput.extend({ operation: z.enum(['complete_upload', 'abort_upload']), upload_id: idSchema }),
]);
/** One address, or one for each part in the given order. */
export const signedAddressesSchema = z.object({ urls: z.array(z.string()), expires_at: instantSchema });

export const shareObjectInput = objectInput.extend({
  expires_in_seconds: z.number().int().min(LINK_SECONDS_MIN).max(LINK_SECONDS_MAX),
});
export const sharedLinkSchema = z.object({ url: z.string(), expires_at: instantSchema });
