import { z } from 'zod';
import {
  createdAtSchema,
  idSchema,
  instantSchema,
  pageInputSchema,
  pageOf,
  proseSchema,
  suspensionReasonSchema,
  wholeNumber,
} from '../shared/schema.ts';
import { keepDaysSchema, keepVersionsSchema, sitePictureSchema } from '../sites/schema.ts';

const sha256Schema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'a SHA-256 in 64 lower-case hexadecimal digits')
  .describe('SHA-256 of the content, in 64 lower-case hexadecimal digits.');

/** A problem in `_redirects` or `_headers`; the console has its own text for `code`, `message` is English. */
const ruleProblemSchema = z.object({
  file: z.enum(['_redirects', '_headers']).describe('The rule file that has the line.'),
  line_number: z.number().int().describe('Counted from 1.'),
  line: z.string().describe('The line as written, possibly shortened.'),
  code: z.string().describe('A stable name of the problem, such as `status_unsupported`.'),
  message: z.string().describe('The problem in an English sentence.'),
});
export type RuleProblem = z.infer<typeof ruleProblemSchema>;

const filePathSchema = z.string().describe('Relative to the root of the site, without a leading slash.');
const previewUrlSchema = z
  .string()
  .describe('This version at its own address, which search engines are told to ignore.');

const fileChangeSchema = z.object({
  path: filePathSchema,
  change: z.enum(['added', 'changed', 'removed']).describe('Compared with the earlier version.'),
  size: z.number().int().describe('In bytes; of a removed file, what it had.'),
});

/** What a deploy changed compared with the version that was current when it was sealed. */
export const deployReportSchema = z.object({
  version_id: idSchema.describe('The version that the report is about.'),
  compared_with: idSchema
    .nullable()
    .describe('The version that was current at the seal; null for the first one, which adds everything.'),
  added: z.number().int().describe('Files whose path is new.'),
  changed: z.number().int().describe('Files with an earlier path and other content.'),
  removed: z.number().int().describe('Files of the earlier version that are gone.'),
  unchanged: z.number().int().describe('Files with the same path and content.'),
  file_count: z.number().int().describe('Files in this version.'),
  total_bytes: z.number().int().describe('The size of all its files together.'),
  new_bytes: z.number().int().describe('Bytes of content in this version that the earlier one did not have.'),
  changes: z
    .array(fileChangeSchema)
    .describe('The first 200 changes by path; the counts say how many there are.'),
  redirect_count: z.number().int().describe('Redirects and rewrites in `_redirects` that apply.'),
  header_rule_count: z.number().int().describe('Rules in `_headers` that apply.'),
  problems: z
    .array(ruleProblemSchema)
    .describe(
      'Ignored lines of `_redirects` and `_headers`, the first of each file; `problem_count` says how many ' +
        'there are.',
    ),
  problem_count: z.number().int().describe('All ignored lines.'),
  is_published: z
    .boolean()
    .describe('Whether it has gone live, now or at any earlier time; false for a preview.'),
  superseded_by: z
    .number()
    .int()
    .nullable()
    .describe(
      'The number of the newer version that was already current, and stays so; null when that is not why.',
    ),
  live_url: z.string().describe('The site at its platform name.'),
  preview_url: previewUrlSchema,
});
export type DeployReport = z.infer<typeof deployReportSchema>;
export const REPORT_CHANGES_MAX = 200;

/** A site version, with what the history shows about it. */
export const versionSchema = z.object({
  id: idSchema.describe('Identifies the version for ever, also after a rollback.'),
  number: z.number().int().describe('Counted from 1 within the site; it can be used in place of the id.'),
  message: z
    .string()
    .nullable()
    .describe('What is new in it, such as the subject of a commit; null if nobody said.'),
  source: z
    .string()
    .describe('Where it was deployed from: `console`, `api`, `cli`, or what the tool called itself.'),
  created_by: z.string().describe('The name of the person, credential or repository that deployed it.'),
  created_at: createdAtSchema,
  sealed_at: instantSchema
    .nullable()
    .describe('When it was completed and can no longer change; null while files are still expected.'),
  is_current: z
    .boolean()
    .describe(
      'Whether visitors see it now. One version of a site is current, none before the first publication.',
    ),
  reverted_at: instantSchema
    .nullable()
    .describe(
      'When a rollback went back to an older version than this; null otherwise. It cannot be rolled back to.',
    ),
  suspended_at: instantSchema
    .nullable()
    .describe('Since when an operator keeps it from being served and published; null otherwise.'),
  suspension_reason: suspensionReasonSchema,
  file_count: z.number().int().describe('Files in it; of an open version, those of the manifest so far.'),
  total_bytes: z.number().int().describe('The size of all its files together, in bytes.'),
  preview_url: previewUrlSchema,
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

export const versionDetailSchema = versionSchema.extend({
  report: deployReportSchema.nullable().describe('What it changed; null until it is sealed.'),
});

export const listVersionsInput = pageInputSchema.extend({ site_id: idSchema });
export const versionPageSchema = pageOf(versionSchema);
export const versionInput = z.object({ site_id: idSchema, version_id: idSchema });

export const versionFileSchema = z.object({
  path: filePathSchema,
  sha256: sha256Schema,
  size: z.number().int().describe('In bytes, uncompressed.'),
  content_type: z.string().describe('The media type that it is served with.'),
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

const messageSchema = proseSchema
  .max(500)
  .describe('What is new in this version, such as the subject of a commit: at most 500 characters.');

/** Where a deploy came from; free text from tooling is truncated to this form. */
const sourceSchema = z
  .string()
  .trim()
  .regex(/^[a-z0-9-]{1,32}$/)
  .describe(
    'What deploys, such as `cli`: 1 to 32 of a-z, 0-9 and hyphens; `api` for a credential that does not say.',
  );

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
        sha256: {
          type: 'string',
          pattern: '^[0-9a-f]{64}$',
          description: 'SHA-256 of the file, in hexadecimal digits.',
        },
        size: {
          type: 'integer',
          minimum: 0,
          description:
            'The size of the file in bytes, 500 MiB at most unless the installation sets another limit.',
        },
      },
      required: ['sha256', 'size'],
    },
  })
  .describe(
    'Every file by its path, relative to the root of the site, without a leading slash: at most 1,024 bytes ' +
      'in UTF-8.',
  );

/** Our own hashes in a response: there may be a hundred thousand, and each came from a checked manifest. */
const hashesSchema = z
  .custom<string[]>((value) => Array.isArray(value))
  .meta({ type: 'array', items: { type: 'string', pattern: '^[0-9a-f]{64}$' } })
  .describe(
    'SHA-256 of each content that the organization has never sent, in hexadecimal digits: upload these.',
  );

export const openVersionInput = z.object({
  site_id: idSchema,
  files: manifestSchema
    .optional()
    .describe('All files, or the first part of them; without it the version opens empty and accepts parts.'),
  message: messageSchema.optional(),
  source: sourceSchema.optional(),
});
export const openVersionResult = z.object({
  id: idSchema.describe('Names the version in the calls that upload to it and seal it.'),
  number: z.number().int().describe('Counted from 1 within the site; it can be used in place of the id.'),
  missing: hashesSchema,
  upload_url: z.string().describe('Where content goes: append `/{sha256}` for one, or post a tar of many.'),
});

/** One part of a manifest, added to an open version. */
export const addVersionFilesInput = z.object({
  site_id: idSchema,
  version_id: idSchema,
  files: manifestSchema,
});
/** The size of the manifest so far, and which content of this part has to be sent. */
export const addVersionFilesResult = z.object({
  file_count: z.number().int().describe('Files of the manifest so far, in all parts.'),
  total_bytes: z.number().int().describe('The size of those files together.'),
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
export const missingBlobsResult = z.object({
  missing: hashesSchema,
  next_cursor: z.string().nullable().describe('Pass it as `cursor` for the next page; null on the last.'),
});

export const uploadBlobInput = versionInput.extend({ sha256: sha256Schema });
/** One blob has arrived, or was already there. */
export const uploadBlobResult = z.object({
  sha256: sha256Schema,
  size: z.number().int().describe('In bytes, as received.'),
});

/** The missing files of larger versions are not counted after every batch. */
export const COUNTED_FILES_MAX = 5_000;
/**
 * Many blobs have arrived; `received` counts those that were new. `missing_count` is null for versions with
 * many files.
 */
export const uploadResult = z.object({
  received: z.number().int().describe('Contents of this request that were new.'),
  missing_count: z
    .number()
    .int()
    .nullable()
    .describe(
      'What the version still lacks; null with more than 5,000 files: ask for what is missing instead.',
    ),
});

export const sealVersionInput = versionInput.extend({
  publish: z
    .boolean()
    .default(true)
    .describe('Whether it goes live; with false it stays a preview at its own address.'),
  file_count: z
    .number()
    .int()
    .optional()
    .describe(
      'How many files the version must have: while parts of its manifest are missing, it is not sealed (409). ' +
        'Not checked when absent.',
    ),
});

/** Options of an archive that is deployed in one request. */
export const deployArchiveInput = z.object({
  site_id: idSchema,
  message: messageSchema.optional(),
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
  versions: z.number().int().describe('How many versions would be removed.'),
  bytes: z
    .number()
    .int()
    .nullable()
    .describe('How much space that frees; null when there are too many files to count.'),
});
export type RetentionPreview = z.infer<typeof retentionPreviewSchema>;

export const rollbackInput = z.object({
  site_id: idSchema,
  version_id: idSchema.describe('The version to go back to: its id, or its number as a string.'),
});
export const rollbackResult = z.object({
  version: versionSchema.describe('The version that is live now.'),
  reverted: z.number().int().describe('How many newer versions were marked as reverted.'),
});
