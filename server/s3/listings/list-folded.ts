import type { ListedObject, S3Ports } from '../ports.ts';
import { S3_LIMITS } from '../s3-limits.ts';

/** Names of a read that skips folders, of which each takes a search: some milliseconds, in which an embedded database does nothing else. */
const SKIPPING_READ_MAX = 250;

/** What to list: at most `max` names after `after` that begin with `prefix`. */
export interface FoldedQuery {
  readonly prefix: string;
  /** Names are folded at the first of these after the prefix; an empty one folds nothing. */
  readonly delimiter: string;
  readonly after: string;
  /** Whether the folder of `after` has been listed with it, as where `after` is the marker of a page. */
  readonly isFolderOfAfterListed?: boolean;
  readonly max: number;
}

/** A page of a list. */
export interface FoldedListing {
  readonly objects: readonly ListedObject[];
  readonly prefixes: readonly string[];
  /** The last listed name, key or prefix; null when nothing follows it. */
  readonly next: string | null;
}

/**
 * Lists keys and folds those that share a prefix up to the delimiter, in a few reads: most folders are small or few, so the first reads
 * every key; the others skip what is folded.
 */
export async function listFolded(
  ports: Pick<S3Ports, 'listObjects'>,
  bucket: Parameters<S3Ports['listObjects']>[0],
  { prefix, delimiter, after, isFolderOfAfterListed = false, max }: FoldedQuery,
): Promise<FoldedListing> {
  const objects: ListedObject[] = [];
  const prefixes: string[] = [];
  if (max === 0) return { objects, prefixes, next: null };
  const foldOf = (key: string) => folderOf(key, { prefix, delimiter });
  // A page that ended with a folder continues after all of it.
  let folded = after.startsWith(prefix) ? foldOf(after) : null;
  if (folded !== after && !isFolderOfAfterListed) folded = null;
  let position = folded === null ? after : lastKeyIn(folded);
  let last: string | null = null;
  for (let isSkipping = false; ; isSkipping = true) {
    const wanted = max - objects.length - prefixes.length + 1;
    const limit = isSkipping ? Math.min(wanted, SKIPPING_READ_MAX) : wanted;
    const query = { prefix, after: position, limit };
    const rows = await ports.listObjects(bucket, isSkipping ? { ...query, delimiter } : query);
    for (const row of rows) {
      const fold = foldOf(row.key);
      if (fold !== null && fold === folded) continue;
      if (objects.length + prefixes.length === max) return { objects, prefixes, next: last };
      last = fold ?? row.key;
      if (fold === null) objects.push(row);
      else {
        prefixes.push(fold);
        folded = fold;
      }
    }
    const end = rows.at(-1)?.key;
    if (end === undefined || rows.length < limit) return { objects, prefixes, next: null };
    position = folded !== null && foldOf(end) === folded ? lastKeyIn(folded) : end;
  }
}

/** Returns the folder that a key is listed as, up to the first delimiter after the prefix; null for one that is listed itself. */
export function folderOf(
  key: string,
  { prefix, delimiter }: { prefix: string; delimiter: string },
): string | null {
  if (delimiter === '') return null;
  const at = key.indexOf(delimiter, prefix.length);
  return at === -1 ? null : key.slice(0, at + delimiter.length);
}

/** The last text of a key's length that can begin with a prefix, in the order of UTF-8 bytes. */
export function lastKeyIn(prefix: string): string {
  return prefix + '\u{10ffff}'.repeat(S3_LIMITS.keyBytesMax / Buffer.byteLength('\u{10ffff}'));
}
