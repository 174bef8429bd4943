import { z } from 'zod';
import {
  idSchema,
  instantSchema,
  pageInputSchema,
  pageOf,
  proseSchema,
  wholeNumber,
} from '../shared/schema.ts';
import { keepDaysSchema, keepVersionsSchema, sitePictureSchema } from '../sites/schema.ts';

const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in 64 lower-case hexadecimal digits');

/** A problem in `_redirects` or `_headers`; the console has its own text for `code`, `message` is English. */
const ruleProblemSchema = z.object({
  file: z.enum(['_redirects', '_headers']),
  line_number: z.number().int(),
  line: z.string(),
  code: z.string(),
  message: z.string(),
});
export type RuleProblem = z.infer<typeof ruleProblemSchema>;

const fileChangeSchema = z.object({
  path: z.string(),
  change: z.enum(['added', 'changed', 'removed']),
  size: z.number().int(),
});

/** What a deploy changed compared with the version that was current when it was sealed. */
export const deployReportSchema = z.object({
  version_id: idSchema,
  compared_with: idSchema.nullable(),
  added: z.number().int(),
  changed: z.number().int(),
  removed: z.number().int(),
  unchanged: z.number().int(),
  file_count: z.number().int(),
  total_bytes: z.number().int(),
  /** Bytes of content in this version that the previous one did not have. */
  new_bytes: z.number().int(),
  /** The first changes by path, at most {@link REPORT_CHANGES_MAX}. */
  changes: z.array(fileChangeSchema),
  redirect_count: z.number().int(),
  header_rule_count: z.number().int(),
  /** The first of each file; `problem_count` says how many there are. */
  problems: z.array(ruleProblemSchema),
  problem_count: z.number().int(),
  is_published: z.boolean(),
  /** The number of the newer version that was already current, and stays so; null for every other reason. */
  superseded_by: z.number().int().nullable(),
  live_url: z.string(),
  preview_url: z.string(),
});
export type DeployReport = z.infer<typeof deployReportSchema>;
export const REPORT_CHANGES_MAX = 200;

/** A site version, with what the history shows about it. */
export const versionSchema = z.object({
  id: idSchema,
  number: z.number().int(),
  message: z.string().nullable(),
  source: z.string(),
  created_by: z.string(),
  created_at: instantSchema,
  sealed_at: instantSchema.nullable(),
  is_current: z.boolean(),
  reverted_at: instantSchema.nullable(),
  /**
   * Set while an operator has suspended the version, so that it is neither served nor published; the reason
   * is for the members.
   */
  suspended_at: instantSchema.nullable(),
  suspension_reason: z.string().nullable(),
  file_count: z.number().int(),
  total_bytes: z.number().int(),
  preview_url: z.string(),
});
export type Version = z.infer<typeof versionSchema>;

/** A deploy as the dashboard lists it: the version, and the site it belongs to. */
const recentDeploySchema = versionSchema.extend({
  /** Whether it was ever live; one that was not is a preview. */
  was_published: z.boolean(),
  site: z.object({ id: idSchema, name: z.string(), subdomain_url: z.string(), picture: sitePictureSchema }),
});
export type RecentDeploy = z.infer<typeof recentDeploySchema>;
export const recentDeploysSchema = z.array(recentDeploySchema);

export const listRecentDeploysInput = z.object({ limit: z.number().int().min(1).max(20).default(5) });

export const versionDetailSchema = versionSchema.extend({ report: deployReportSchema.nullable() });

export const listVersionsInput = pageInputSchema.extend({ site_id: idSchema });
export const versionPageSchema = pageOf(versionSchema);
export const versionInput = z.object({ site_id: idSchema, version_id: idSchema });

export const versionFileSchema = z.object({
  path: z.string(),
  sha256: sha256Schema,
  size: z.number().int(),
  content_type: z.string(),
});
const FILES_PAGE_MAX = 2000;
export const listVersionFilesInput = pageInputSchema.extend({
  site_id: idSchema,
  version_id: idSchema,
  /** A path in base64url, which may be longer than other cursors. */
  cursor: z.string().max(2048).optional(),
  /** A page has at most 2,000, whatever is requested. */
  limit: wholeNumber(1, 20_000)
    .prefault(1000)
    .transform((limit) => Math.min(limit, FILES_PAGE_MAX)),
});
export const versionFilePageSchema = pageOf(versionFileSchema);

/** Where a deploy came from; free text from tooling is truncated to this form. */
const sourceSchema = z
  .string()
  .trim()
  .regex(/^[a-z0-9-]{1,32}$/);

/** One path's entry in a manifest. */
export interface ManifestEntry {
  sha256: string;
  size: number;
}

/**
 * A manifest, or a part of one: path to hash and size. The verb checks its entries in portions: a schema
 * would check all of them at once.
 */
const manifestSchema = z
  .custom<Record<string, ManifestEntry>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'an object of path to sha256 and size',
  )
  .meta({
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: {
        sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
        size: { type: 'integer', minimum: 0 },
      },
      required: ['sha256', 'size'],
      additionalProperties: false,
    },
  });

/** Our own hashes in a response: there may be a hundred thousand, and each came from a checked manifest. */
const hashesSchema = z
  .custom<string[]>((value) => Array.isArray(value))
  .meta({ type: 'array', items: { type: 'string', pattern: '^[0-9a-f]{64}$' } });

export const openVersionInput = z.object({
  site_id: idSchema,
  /** All files, or the first part of them; without it the version opens empty and accepts parts. */
  files: manifestSchema.optional(),
  message: proseSchema.max(500).optional(),
  source: sourceSchema.optional(),
});
export const openVersionResult = z.object({
  id: idSchema,
  number: z.number().int(),
  missing: hashesSchema,
  upload_url: z.string(),
});

/** One part of a manifest, added to an open version. */
export const addVersionFilesInput = z.object({
  site_id: idSchema,
  version_id: idSchema,
  files: manifestSchema,
});
/** The size of the manifest so far, and which content of this part has to be sent. */
export const addVersionFilesResult = z.object({
  file_count: z.number().int(),
  total_bytes: z.number().int(),
  missing: hashesSchema,
});

/** Most hashes in one response; the next ones follow with the cursor. */
export const MISSING_PAGE_MAX = 20_000;
export const listMissingBlobsInput = z.object({
  site_id: idSchema,
  version_id: idSchema,
  /** A path in base64url. */
  cursor: z.string().max(2048).optional(),
});
/** The content of a version that its organization has not sent yet: what a resumed upload sends. */
export const missingBlobsResult = z.object({ missing: hashesSchema, next_cursor: z.string().nullable() });

export const uploadBlobInput = versionInput.extend({ sha256: sha256Schema });
/** One blob has arrived, or was already there. */
export const uploadBlobResult = z.object({ sha256: sha256Schema, size: z.number().int() });

/** The missing files of larger versions are not counted after every batch. */
export const COUNTED_FILES_MAX = 5_000;
/**
 * Many blobs have arrived; `received` counts those that were new. `missing_count` is null for versions with
 * many files.
 */
export const uploadResult = z.object({
  received: z.number().int(),
  missing_count: z.number().int().nullable(),
});

export const sealVersionInput = versionInput.extend({
  publish: z.boolean().default(true),
  /** How many files the version has: it is not sealed while parts of its manifest are missing. */
  file_count: z.number().int().optional(),
});

/** Options of an archive that is deployed in one request. */
export const deployArchiveInput = z.object({
  site_id: idSchema,
  message: proseSchema.max(500).optional(),
  source: sourceSchema.optional(),
  publish: z.boolean().default(true),
});

export const previewRetentionInput = z.object({
  site_id: idSchema,
  keep_versions: keepVersionsSchema,
  keep_days: keepDaysSchema,
});
/** What a site would lose now; `bytes` is null when there are too many files to count. */
export const retentionPreviewSchema = z.object({
  versions: z.number().int(),
  bytes: z.number().int().nullable(),
});
export type RetentionPreview = z.infer<typeof retentionPreviewSchema>;

export const rollbackInput = z.object({ site_id: idSchema, version_id: idSchema });
export const rollbackResult = z.object({ version: versionSchema, reverted: z.number().int() });
