import { isHtml } from './content-type.ts';

/**
 * A build changes the name together with the content, so a copy may be cached for a year without
 * revalidation.
 */
const IMMUTABLE_CACHE_CONTROL = 'public, max-age=31536000, immutable';

/**
 * Cached, but revalidated every time: a publish or rollback is visible immediately, and pages never disagree
 * with their unhashed assets.
 */
const REVALIDATE_CACHE_CONTROL = 'public, max-age=0, must-revalidate';
export const PAGE_CACHE_CONTROL = 'no-cache';

/** Returns the Cache-Control of a file unless `_headers` sets it. */
export function cacheControlOf(path: string, contentType: string): string {
  if (isHtml(contentType)) return PAGE_CACHE_CONTROL;
  return isFingerprinted(path) ? IMMUTABLE_CACHE_CONTROL : REVALIDATE_CACHE_CONTROL;
}

/**
 * True when a file's name contains a hash of its content in the format of Vite, Rollup, webpack, Parcel,
 * esbuild, Next.js or SvelteKit. Mistaking a word, a date or a size for a hash would freeze a file for a
 * year, while missing a hash only costs a revalidation: doubtful names are not treated as fingerprints.
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
  // Letters only: no word has a single lower-case letter between capitals.
  return isMixedCase && !hasInnerSign && /[A-Z][a-z][A-Z]/.test(token);
}
