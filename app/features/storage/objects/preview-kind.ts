import { PREVIEW_TYPES, type PreviewType } from '#server/services/storage/rules.ts';
import type { StoredObject } from '#server/services/storage/schema.ts';

/** How an object is shown, and as which type it is requested; null when it is not. */
export interface Preview {
  kind: 'image' | 'pdf' | 'text';
  type: PreviewType;
}

const BY_ENDING: Readonly<Record<string, PreviewType>> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  css: 'text/plain',
  csv: 'text/plain',
  gif: 'image/gif',
  html: 'text/plain',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/plain',
  json: 'text/plain',
  log: 'text/plain',
  md: 'text/plain',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  webp: 'image/webp',
  xml: 'text/plain',
  yaml: 'text/plain',
  yml: 'text/plain',
};
const TEXT_TYPES =
  /^(text\/|application\/(json|javascript|xml|yaml|x-ndjson|toml)$|application\/[\w.-]+\+(json|xml)$)/;
/** Types that say nothing: the extension of the name decides. */
const UNNAMED = ['', 'binary/octet-stream', 'application/octet-stream'];

/** Larger ones are downloaded: a preview is a glance. */
export const PREVIEW_BYTES_MAX = 32 * 1024 ** 2;
/** How much of a text is shown. */
export const PREVIEW_TEXT_BYTES = 64 * 1024;

/** Returns how an object is shown, by its type or, when that says nothing, by the extension of its name. */
export function previewOf({
  key,
  content_type,
  size,
}: Pick<StoredObject, 'key' | 'content_type' | 'size'>): Preview | null {
  const [said = ''] = content_type.toLowerCase().split(';');
  const stored = said.trim();
  const ending = key.slice(key.lastIndexOf('.') + 1).toLowerCase();
  const named = UNNAMED.includes(stored) && Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined;
  const known = PREVIEW_TYPES.find((type) => type === stored);
  const type = named ?? known ?? (TEXT_TYPES.test(stored) ? 'text/plain' : undefined);
  if (type === undefined || size === 0) return null;
  const kind = type === 'application/pdf' ? 'pdf' : type === 'text/plain' ? 'text' : 'image';
  return kind !== 'text' && size > PREVIEW_BYTES_MAX ? null : { kind, type };
}
