import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { hashTag } from '../hash-tag.ts';

const RELEASE_HASH_LENGTH = 10;

/** A package in npm's format. */
export interface NpmPackage {
  bytes: Buffer;
  etag: string;
  /** Its version and a part of its hash: different content has a different name. */
  release: string;
}

/** A file of a package. */
export interface PackedFile {
  name: string;
  content: string | Buffer;
  isExecutable?: boolean;
}

/** Packs files as `npm pack` does; the same files always give the same bytes. */
export async function packPackage(version: string, files: readonly PackedFile[]): Promise<NpmPackage> {
  const archive = pack();
  for (const { name, content, isExecutable = false } of files) {
    archive.entry(
      { name: `package/${name}`, mode: isExecutable ? 0o755 : 0o644, mtime: new Date(0) },
      content,
    );
  }
  archive.finalize();
  const bytes = await promisify(gzip)(await buffer(archive));
  const hash = createHash('sha256').update(bytes).digest('hex');
  return { bytes, etag: hashTag(bytes), release: `${version}-${hash.slice(0, RELEASE_HASH_LENGTH)}` };
}

/** Returns a function that packs on its first call and keeps the promise. */
export function packedOnce(make: () => Promise<NpmPackage>): () => Promise<NpmPackage> {
  let packed: Promise<NpmPackage> | undefined;
  return () => {
    packed ??= make();
    return packed;
  };
}
