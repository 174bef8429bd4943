import { z } from 'zod';
import {
  createdAtSchema,
  idSchema,
  instantSchema,
  lineSchema,
  pageInputSchema,
  pageOf,
} from '../shared/schema.ts';
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

const corsEnabled = z.boolean().describe('Whether scripts of other origins may use it in a browser.');

/** A bucket. */
export const bucketSchema = z.object({
  id: idSchema.describe('Identifies the bucket in the calls of this API; S3 clients use its name.'),
  name: z.string().describe('As chosen when it was created.'),
  external_id: z.string().describe('Its name for S3 clients.'),
  region: z.string().describe('Where its objects are stored, and what S3 clients sign for.'),
  status: z
    .enum(BUCKET_STATUSES)
    .describe(
      'Settings can be changed only while it is `active`; while `deleting`, it takes no new objects and cannot ' +
        'be deleted again.',
    ),
  cors_enabled: corsEnabled,
  cors_origins: z
    .array(z.string())
    .describe('Which origins may, such as `https://example.ca`; empty unless CORS is on.'),
  public_read: z.boolean().describe('Whether anyone may read its objects by their addresses, without a key.'),
  object_count: z.number().int().describe('Completed objects, without uploads in progress.'),
  stored_bytes: z.number().int().describe('The size of those objects together.'),
  emptying: z
    .object({
      requested_at: instantSchema.describe('When the job was started; what arrived later stays.'),
      object_total: z.number().int().describe('How many objects there were at that time.'),
      removed_objects: z.number().int().describe('How many of them are gone.'),
    })
    .nullable()
    .describe('The progress of the job that empties it; null when none does.'),
  created_at: createdAtSchema,
});
export type Bucket = z.infer<typeof bucketSchema>;

export const pageBucketsInput = pageInputSchema.extend({ search: lineSchema.max(100).optional() });
export const bucketPageSchema = pageOf(bucketSchema);

const corsOrigin = lineSchema
  .max(300)
  .refine(isCorsOrigin, 'must be * or an origin such as https://example.ca');
const cors = {
  cors_enabled: corsEnabled,
  cors_origins: z
    .array(corsOrigin)
    .max(CORS_ORIGINS_MAX)
    .optional()
    .describe(
      'Up to 100 origins such as `https://example.ca` or `https://*.example.ca`, or `*`. Only used when CORS is on.',
    ),
};

export const bucketInput = z.object({ bucket_id: idSchema });
const BUCKET_NAME_FORM =
  'must be 3 to 63 lower-case letters, digits, dots and hyphens, beginning and ending with a letter or digit, ' +
  'without a dot next to another dot or a hyphen, and no IP address';

export const createBucketInput = z.object({
  name: z
    .string()
    .max(63, { error: BUCKET_NAME_FORM, abort: true })
    .refine(isBucketName, BUCKET_NAME_FORM)
    .describe(
      '3 to 63 lower-case letters, digits, dots and hyphens, beginning and ending with a letter or digit. No ' +
        'other bucket of the installation may have it.',
    ),
  region: z
    .literal(REGION)
    .default(REGION)
    .describe('Where its objects are stored: `qc-south-1` (Montréal) is the only one.'),
  cors_enabled: cors.cors_enabled.default(false),
  cors_origins: cors.cors_origins,
});
/** What is absent stays as it is. */
export const updateBucketInput = bucketInput.extend({
  cors_enabled: cors.cors_enabled.optional(),
  cors_origins: cors.cors_origins,
  public_read: z
    .boolean()
    .optional()
    .describe(
      'Lets anyone read its objects; only for those who may create and delete buckets. Stays as it is when absent.',
    ),
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
  is_allowed: z.boolean().describe('Whether a browser would let the script make the request.'),
  refused_part: z
    .enum(['rules', 'origin', 'method', 'headers'])
    .nullable()
    .describe('What no rule of the bucket allows; null when it is allowed. `rules`: the bucket has none.'),
  answer_headers: z
    .record(z.string(), z.string())
    .describe(
      'The response headers that allow the script to read it, by lower-case name; empty when it is refused.',
    ),
});
export type CorsCheck = z.infer<typeof corsCheckSchema>;

const OBJECT_KEY_FORM = 'must be a key of at most 1,024 bytes';
const objectKey = z
  .string()
  .min(1)
  .max(1_024, { error: OBJECT_KEY_FORM, abort: true })
  .refine(isObjectKey, OBJECT_KEY_FORM);
/** A prefix of keys; empty for the whole bucket. */
const keyPrefix = z
  .string()
  .max(1_024)
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
  id: idSchema.describe('The `UploadId` of S3.'),
  key: z.string().describe('Where the object will be once it is completed.'),
  started_by: z
    .object({
      kind: z.enum(['person', 'credential']).describe('A person in the console, or a program with keys.'),
      id: z.string().describe('Of the person or the credential.'),
      name: z
        .string()
        .nullable()
        .describe(
          'A login, or the name of the credential, which may have been deleted since; null for a person no longer ' +
            'known.',
        ),
    })
    .nullable()
    .describe('Who began it; null where that was not noted.'),
  started_at: instantSchema.describe('When it began.'),
  part_count: z.number().int().describe('Parts that have arrived.'),
  stored_bytes: z.number().int().describe('The size of those parts together.'),
  last_part_at: instantSchema.nullable().describe('When the last part came; null before the first.'),
  expires_at: instantSchema.describe('When it is abandoned if it is not completed until then.'),
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
  upload_count: z.number().int().describe('All unfinished uploads of the bucket.'),
  stored_bytes: z.number().int().describe('The size of their parts together.'),
  idle_upload_count: z
    .number()
    .int()
    .describe('Of them those that began more than a day ago, and of which nothing has come for a day.'),
  idle_stored_bytes: z.number().int().describe('The size of the parts of those.'),
  abandoning: z
    .object({
      requested_at: instantSchema.describe('When the job was started; later uploads stay.'),
      upload_total: z.number().int().describe('How many there were at that time.'),
      removed_uploads: z.number().int().describe('How many of them are gone.'),
    })
    .nullable()
    .describe('The progress of the job that abandons those; null when none does.'),
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
