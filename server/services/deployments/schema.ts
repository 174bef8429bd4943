import { z } from 'zod';
import { idSchema, instantSchema, pageInputSchema, pageOf, proseSchema } from '../shared/schema.ts';
import { keepDaysSchema, keepVersionsSchema } from '../sites/schema.ts';

export const sha256Schema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'a SHA-256 in 64 lower-case hexadecimal digits');

/** A problem in `_redirects` or `_headers`; the console words `code`, `message` is English. */
export const ruleProblemSchema = z.object({
  file: z.enum(['_redirects', '_headers']),
  line_number: z.number().int(),
  line: z.string(),
  code: z.string(),
  message: z.string(),
});
export type RuleProblem = z.infer<typeof ruleProblemSchema>;

export const fileChangeSchema = z.object({
  path: z.string(),
  change: z.enum(['added', 'changed', 'removed']),
  size: z.number().int(),
});

/** What a deploy changed against the version that was current when it was sealed. */
export const deployReportSchema = z.object({
  version_id: idSchema,
  compared_with: idSchema.nullable(),
  added: z.number().int(),
  changed: z.number().int(),
  removed: z.number().int(),
  unchanged: z.number().int(),
  file_count: z.number().int(),
  total_bytes: z.number().int(),
  /** Bytes of content that this version brought and the previous one did not have. */
  new_bytes: z.number().int(),
  /** The first changes by path, at most {@link REPORT_CHANGES_MAX}. */
  changes: z.array(fileChangeSchema),
  redirect_count: z.number().int(),
  header_rule_count: z.number().int(),
  problems: z.array(ruleProblemSchema),
  is_published: z.boolean(),
  live_url: z.string(),
  preview_url: z.string(),
});
export type DeployReport = z.infer<typeof deployReportSchema>;
export const REPORT_CHANGES_MAX = 200;

/** A site version (spec/console.md, section 3), with what the history shows beside it. */
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
  file_count: z.number().int(),
  total_bytes: z.number().int(),
  preview_url: z.string(),
});
export type Version = z.infer<typeof versionSchema>;

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
export const listVersionFilesInput = pageInputSchema.extend({
  site_id: idSchema,
  version_id: idSchema,
  /** A path in base64url, which may be longer than other cursors. */
  cursor: z.string().max(2048).optional(),
  limit: z.coerce.number().int().min(1).max(20_000).default(1000),
});
export const versionFilePageSchema = pageOf(versionFileSchema);

/** Where a deploy came from; free text from tooling is cut to this form. */
export const sourceSchema = z
  .string()
  .trim()
  .regex(/^[a-z0-9-]{1,32}$/);

export const openVersionInput = z.object({
  site_id: idSchema,
  files: z.record(z.string(), z.object({ sha256: sha256Schema, size: z.number().int().nonnegative() })),
  message: proseSchema.max(500).optional(),
  source: sourceSchema.optional(),
});
export const openVersionResult = z.object({
  id: idSchema,
  number: z.number().int(),
  missing: z.array(sha256Schema),
  upload_url: z.string(),
});

/** The content of a version that its organization has not sent yet: what a resumed upload sends. */
export const missingBlobsResult = z.object({ missing: z.array(sha256Schema) });

export const uploadBlobInput = versionInput.extend({ sha256: sha256Schema });
/** One blob arrived, or was there already. */
export const uploadBlobResult = z.object({ sha256: sha256Schema, size: z.number().int() });

/** Many blobs arrived; `received` counts those that were new. */
export const uploadResult = z.object({ received: z.number().int(), missing_count: z.number().int() });

export const versionFileInput = versionInput.extend({
  path: z
    .string()
    .min(1)
    .max(4096)
    .refine((path) => !path.includes('\0')),
});

export const sealVersionInput = versionInput.extend({ publish: z.boolean().default(true) });

/** What may stand beside an archive that is deployed in one request. */
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
/** What a site would lose now; `bytes` is null where they are too many to look at. */
export const retentionPreviewSchema = z.object({
  versions: z.number().int(),
  bytes: z.number().int().nullable(),
});
export type RetentionPreview = z.infer<typeof retentionPreviewSchema>;

export const rollbackInput = z.object({ site_id: idSchema, version_id: idSchema });
export const rollbackResult = z.object({ version: versionSchema, reverted: z.number().int() });
