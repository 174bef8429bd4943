import { hasStackedMarks } from '../rules/stacked-marks.ts';
import { isUnsafePath } from './unsafe-path.ts';

/** A parsed request target. */
export interface RequestPath {
  /** Decoded, NFC, with a leading slash and without anything unsafe. */
  readonly path: string;
  /** As sent, percent-encoding included. */
  readonly rawPath: string;
  /** With its question mark, or empty. */
  readonly query: string;
}

/**
 * Longer paths cannot be a file (1,024 bytes, percent-encoded at most three times that) and are not worth
 * matching.
 */
const RAW_PATH_CHARACTERS_MAX = 4_096;

/** Parses an origin-form target; null when no file and no rule can ever match it. */
export function readRequestPath(target: string): RequestPath | null {
  if (target.charCodeAt(0) !== 47 || /[^!-~]|#/.test(target)) return null;
  const mark = target.indexOf('?');
  const rawPath = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? '' : target.slice(mark);
  if (rawPath.length > RAW_PATH_CHARACTERS_MAX) return null;
  let path = rawPath;
  if (rawPath.includes('%')) {
    // An encoded slash would join two segments; no manifest path needs it.
    if (/%2f/i.test(rawPath)) return null;
    try {
      path = decodeURIComponent(rawPath);
    } catch {
      return null;
    }
    if (hasStackedMarks(path)) return null;
    path = path.normalize('NFC');
  }
  return isUnsafePath(path) ? null : { path, rawPath, query };
}

/**
 * Returns the one percent-encoded form of a decoded path that the edge uses in addresses and as cache key.
 */
export function encodePath(path: string): string {
  return encodeURI(path).replaceAll('?', '%3F').replaceAll('#', '%23');
}
