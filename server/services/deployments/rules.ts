import { DAY_MS, HOUR_MS } from '#server/durations.ts';

/** What the history shows of a version; `open` is one that is still being uploaded. */
export type VersionState = 'current' | 'reverted' | 'other' | 'open';

/** The fields that determine a version's state, in a row or in a response. */
export interface VersionFacts {
  sealed_at: number | string | null;
  reverted_at: number | string | null;
  suspended_at: number | string | null;
  is_current: boolean;
}

export function versionState(version: VersionFacts): VersionState {
  if (version.sealed_at === null) return 'open';
  if (version.is_current) return 'current';
  return version.reverted_at === null ? 'other' : 'reverted';
}

/** Why a version cannot be made current; the codes are error codes. */
export type RollbackRefusal =
  | 'version_not_sealed'
  | 'version_is_current'
  | 'version_reverted'
  | 'version_suspended';

const REFUSAL_OF_STATE: Record<VersionState, RollbackRefusal | null> = {
  open: 'version_not_sealed',
  current: 'version_is_current',
  reverted: 'version_reverted',
  other: null,
};

/** Returns why a version cannot be rolled back to, or null when it can. */
export function rollbackRefusal(version: VersionFacts): RollbackRefusal | null {
  return (
    REFUSAL_OF_STATE[versionState(version)] ?? (version.suspended_at === null ? null : 'version_suspended')
  );
}

/** Longest label of a hostname (RFC 1035). */
const LABEL_MAX = 63;

/**
 * Returns the first label of a version's preview hostname: the id, two hyphens and as much of the subdomain
 * as fits. Only the id decides what is served; the rest is for people.
 */
export function previewLabel(versionId: string, subdomain: string): string {
  return `${versionId}--${subdomain}`.slice(0, LABEL_MAX).replace(/(?<!-)-+$/, '');
}

/** How long the fingerprinted files of a replaced version stay reachable at the live name. */
export const REPLACED_GRACE_MS = 7 * DAY_MS;

/** An open version or an unreferenced blob is collected when nothing has touched it for this long. */
export const ABANDONED_AFTER_MS = DAY_MS;

/** The precision of a blob's mark of use: a younger one is not written again. */
export const TOUCH_INTERVAL_MS = HOUR_MS;

/**
 * How long a collector's claim on condemned content is valid. Removing takes seconds; the rest is a margin
 * for a slow object store and for differing clocks of machines.
 */
export const REMOVAL_CLAIM_MS = 5 * 60 * 1000;

/** Smaller text gains nothing from an encoding. */
export const ENCODED_BYTES_MIN = 1024;

/**
 * Whether content of this type shrinks with brotli and gzip; pictures, archives, fonts and films are already
 * compressed.
 */
export function isCompressible(contentType: string): boolean {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  if (type.startsWith('text/') || /\+(json|xml|text)$/.test(type)) return true;
  return COMPRESSIBLE_TYPES.has(type);
}

const COMPRESSIBLE_TYPES: ReadonlySet<string> = new Set([
  'application/javascript',
  'application/json',
  'application/ld+json',
  'application/manifest+json',
  'application/rtf',
  'application/toml',
  'application/vnd.ms-fontobject',
  'application/wasm',
  'application/x-javascript',
  'application/x-ndjson',
  'application/xml',
  'application/yaml',
  'font/otf',
  'font/ttf',
  'image/bmp',
  'image/svg+xml',
  'image/vnd.microsoft.icon',
  'image/x-icon',
]);

/** Archives that can be deployed in one request, by media type. */
const ARCHIVE_TYPES = {
  'application/zip': 'zip',
  'application/x-zip-compressed': 'zip',
  'application/gzip': 'tar.gz',
  'application/x-gzip': 'tar.gz',
  'application/x-tar': 'tar',
} as const;

export type ArchiveMediaType = keyof typeof ARCHIVE_TYPES;
export type ArchiveType = (typeof ARCHIVE_TYPES)[ArchiveMediaType];
export const ARCHIVE_MEDIA_TYPES: readonly string[] = Object.keys(ARCHIVE_TYPES);

/** Returns the kind of archive for a media type (without parameters, in lower case), or null. */
export function archiveTypeOf(mediaType: string): ArchiveType | null {
  return Object.hasOwn(ARCHIVE_TYPES, mediaType) ? ARCHIVE_TYPES[mediaType as ArchiveMediaType] : null;
}

/** The job that reads the content of sites again, under whose name lost content is listed. */
export const LOST_FILES_JOB = 'scrub-files';
