import { isHtml } from './content-type.ts';

/** A build changes the name when it changes the content, so a copy may be kept for a year without asking. */
export const immutableCacheControl = 'public, max-age=31536000, immutable';

/** Kept, but asked about every time: a publish or rollback is seen at once, pages and their unnamed assets never disagree. */
export const revalidateCacheControl = 'public, max-age=0, must-revalidate';
export const pageCacheControl = 'no-cache';

/** The Cache-Control a file gets unless `_headers` says otherwise. */
export function cacheControlOf(path: string, contentType: string): string {
  if (isHtml(contentType)) return pageCacheControl;
  return isFingerprinted(path) ? immutableCacheControl : revalidateCacheControl;
}

/**
 * True when the name of a file holds a hash of its content, as Vite, Rollup, webpack, Parcel, esbuild, Next.js and SvelteKit write
 * it. Taking a word, a date or a size for a hash would freeze a file for a year, while missing a hash only costs a
 * revalidation: doubtful names are not fingerprints.
 */
export function isFingerprinted(path: string): boolean {
  if (/\.x?html?$/i.test(path)) return false;
  if (/(^|\/)(_next\/static|_app\/immutable)\//.test(path)) return true;
  const name = path.slice(path.lastIndexOf('/') + 1);
  // name-HASH.js, name.HASH.css, name.HASH.chunk.js, HASH.woff2, name-HASH.js.map
  const stem = /^(.+?)((?:\.[A-Za-z][A-Za-z0-9]{0,10}){1,3})$/.exec(name);
  const token = /(?:^|[.-])([\w-]{8}|[\da-zA-Z]{8,64})$/.exec(stem?.[1] ?? '')?.[1];
  return token !== undefined && isHashLike(token.replace(/^-+/, ''));
}

function isHashLike(token: string): boolean {
  if (/^\d+x\d+$/.test(token) || /^(19|20)\d{6}/.test(token)) return false;
  if (/^[\da-f]+$/.test(token)) return token.length >= 8 && /\d/.test(token) && /[a-f]/.test(token);
  const isUsualLength = token.length === 8 || token.length >= 16;
  if (!isUsualLength || !/[A-Za-z]/.test(token)) return false;
  // A word with a number before or after it is a name: Galaxy10, iPhone15, 2ndEdition.
  const digitRuns = token.match(/\d+/g)?.length ?? 0;
  const hasInnerDigit = /[A-Za-z_-]\d+[A-Za-z_-]/.test(token);
  const hasInnerSign = /[A-Za-z\d][_-][A-Za-z\d]/.test(token);
  const isMixedCase = /[a-z]/.test(token) && /[A-Z]/.test(token);
  if (digitRuns >= 2) return isMixedCase || !hasInnerSign;
  if (digitRuns === 1) return isMixedCase && hasInnerDigit && !hasInnerSign;
  // Letters only: a lower-case letter alone between capitals stands in no word.
  return isMixedCase && !hasInnerSign && /[A-Z][a-z][A-Z]/.test(token);
}
