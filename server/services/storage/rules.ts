import { DAY_MS, HOUR_MS } from '#server/durations.ts';

/** The states of a bucket: it accepts requests only while it is active. */
export const BUCKET_STATUSES = ['active', 'pending', 'creating', 'deleting', 'error'] as const;

/** The only region. */
export const REGION = 'qc-south-1';

export const BUCKET_NAME_MIN = 3;
export const BUCKET_NAME_MAX = 63;

export type BucketNameProblem = 'length' | 'characters' | 'dots' | 'address';

/**
 * Returns why a bucket cannot have this name, or null: lower-case letters, digits, dots and hyphens, beginning and ending
 * with a letter or digit. What cannot be a hostname is rejected as well: two dots in a row, a hyphen next to
 * a dot, and what is written like an IPv4 address.
 */
export function bucketNameProblem(name: string): BucketNameProblem | null {
  if (name.length < BUCKET_NAME_MIN || name.length > BUCKET_NAME_MAX) return 'length';
  if (!/^[a-z0-9][a-z0-9.-]*[a-z0-9]$/.test(name)) return 'characters';
  if (/\.\.|\.-|-\./.test(name)) return 'dots';
  return /^\d+(\.\d+){3}$/.test(name) ? 'address' : null;
}

/** Whether a bucket can have this name. */
export function isBucketName(name: string): boolean {
  return bucketNameProblem(name) === null;
}

/** Methods that a browser may use when CORS is switched on in the console. */
export const CONSOLE_CORS_METHODS = ['GET', 'PUT', 'HEAD', 'POST', 'DELETE'] as const;
/** What a script of another origin may read of a response. */
export const CONSOLE_CORS_EXPOSED = ['ETag', 'x-amz-request-id', 'x-amz-version-id'] as const;
export const CONSOLE_CORS_MAX_AGE_SECONDS = 3_600;
export const CORS_ORIGINS_MAX = 100;

/** Whether a text is an origin that CORS can allow: `*`, or a scheme and a host with at most one star. */
export function isCorsOrigin(origin: string): boolean {
  return origin === '*' || (/^https?:\/\/[a-z0-9.*:[\]-]+$/i.test(origin) && origin.split('*').length <= 2);
}

/** Whether a text is what a browser sends as the origin of a page. */
export function isPageOrigin(origin: string): boolean {
  return URL.canParse(origin) && new URL(origin).origin === origin.toLowerCase() && /^https?:/i.test(origin);
}

/** Content up to this lies in the database, in the row that names it: a file would take a block of the disk. */
export const ROW_CONTENT_BYTES_MAX = 4_096;

/** An upload that is not completed is aborted after this long. */
export const UPLOAD_KEPT_DAYS = 7;
/** An upload that began longer ago, and of which nothing has come since, is idle: most likely nobody completes it. */
export const UPLOAD_IDLE_MS = DAY_MS;
/** A part that came less than this ago makes it likely that the next one is on its way. */
export const UPLOAD_ACTIVE_MS = 10 * 60_000;
/** Uploads of an organization that are not completed, and their parts: they are counted each time its room is looked up. */
export const UNFINISHED_MAX = 50_000;
/** Unreferenced content is kept for this long: it may still be being read. */
export const REMOVED_PIECE_KEPT_MS = HOUR_MS;
/** Content without a row is considered an unfinished write after this long. */
export const STRAY_PIECE_KEPT_MS = DAY_MS;

/** Whether a text can be a key: S3's limit, and nothing that a database or an address cannot hold. */
export function isObjectKey(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed() && new TextEncoder().encode(text).byteLength <= 1_024;
}

/** Objects that one request of the console removes. */
export const REMOVED_AT_ONCE_MAX = 1_000;
/** Parts whose addresses are signed at once. */
export const SIGNED_PARTS_MAX = 50;
/** How long an address used by the console's own pages works. */
export const CONSOLE_ADDRESS_SECONDS = 3_600;
/** How long a shared link may last; S3 allows a week. */
export const LINK_SECONDS_MIN = 60;
export const LINK_SECONDS_MAX = 7 * 24 * 3_600;
/** The content types for previews: none of these runs scripts. */
export const PREVIEW_TYPES = [
  'application/pdf',
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/svg+xml',
  'image/webp',
  'text/plain',
] as const;
export type PreviewType = (typeof PREVIEW_TYPES)[number];
