import type { ListedUpload, S3Ports } from '../ports.ts';
import { folderOf, lastKeyIn } from './list-folded.ts';

/** Uploads of a read where they may be folded: what a folder has beyond them is passed over. */
const FOLDED_READ_MAX = 100;

/** What to list: at most `max` uploads and folders after the markers. */
export interface FoldedUploadsQuery {
  readonly prefix: string;
  /** An empty one folds nothing. */
  readonly delimiter: string;
  readonly keyMarker: string;
  /** Uploads of the key that is the marker are listed after this id; none of them when it is empty. */
  readonly idMarker: string;
  readonly max: number;
}

/** A page of uploads. */
export interface FoldedUploads {
  readonly uploads: readonly ListedUpload[];
  readonly prefixes: readonly string[];
  /** The markers of the next page; null when nothing follows. */
  readonly next: { readonly key: string; readonly id: string } | null;
}

/** Lists uploads and folds those whose keys share a prefix up to the delimiter, skipping over folded keys. */
export async function listFoldedUploads(
  ports: Pick<S3Ports, 'listUploads'>,
  bucket: Parameters<S3Ports['listUploads']>[0],
  { prefix, delimiter, keyMarker, idMarker, max }: FoldedUploadsQuery,
): Promise<FoldedUploads> {
  const uploads: ListedUpload[] = [];
  const prefixes: string[] = [];
  if (max === 0) return { uploads, prefixes, next: null };
  let position = { afterKey: keyMarker, afterId: idMarker };
  let last: FoldedUploads['next'] = null;
  for (;;) {
    const wanted = max - uploads.length - prefixes.length + 1;
    const limit = delimiter === '' ? wanted : Math.min(wanted, FOLDED_READ_MAX);
    const rows = await ports.listUploads(bucket, { prefix, ...position, limit });
    for (const row of rows) {
      const folder = folderOf(row.key, { prefix, delimiter });
      const isKnown = folder !== null && (prefixes.at(-1) === folder || keyMarker.startsWith(folder));
      if (!isKnown && uploads.length + prefixes.length >= max) return { uploads, prefixes, next: last };
      if (folder === null) uploads.push(row);
      else if (!isKnown) prefixes.push(folder);
      last = folder === null ? { key: row.key, id: row.id } : { key: folder, id: '' };
      // Of a folder, only as much is read as shows that it is one.
      position =
        folder === null
          ? { afterKey: row.key, afterId: row.id }
          : { afterKey: lastKeyIn(folder), afterId: '' };
    }
    if (rows.length < limit) return { uploads, prefixes, next: null };
  }
}
