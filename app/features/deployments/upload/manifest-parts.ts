import type { ManifestEntry } from '#server/services/deployments/schema.ts';
import type { HashedFile } from './plan-uploads.ts';

/** A call of `/api/trpc` may have 256 KiB: this leaves room for the rest of the call. */
const PART_BYTES_MAX = 200_000;
/** The size of an entry besides its path: the hash, the size and the punctuation of JSON. */
const ENTRY_BYTES = 120;

/** Returns the manifest of these files in parts that each fit one call; at least one. */
export function manifestParts(files: readonly HashedFile[]): Record<string, ManifestEntry>[] {
  const encoder = new TextEncoder();
  const parts: [string, ManifestEntry][][] = [[]];
  let bytes = 0;
  for (const { path, sha256, file } of files) {
    const size = ENTRY_BYTES + encoder.encode(JSON.stringify(path)).length;
    if (bytes > 0 && bytes + size > PART_BYTES_MAX) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push([path, { sha256, size: file.size }]);
    bytes += size;
  }
  return parts.map((part) => Object.fromEntries(part));
}
