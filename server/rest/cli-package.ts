import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { z } from 'zod';
import { hashTag } from './hash-tag.ts';

const CLI_FOLDER = fileURLToPath(new URL('../../cli/', import.meta.url));
const PACKED = /^(package\.json|README\.md|portage\.mjs|src\/[\w/.-]+\.mjs)$/;
const RELEASE_HASH_LENGTH = 10;

/** The command line as npm takes it. */
export interface CliPackage {
  bytes: Buffer;
  etag: string;
  /** Its version and a part of its hash: other content has another name. */
  release: string;
}

let packed: Promise<CliPackage> | undefined;

/**
 * Returns the command line as a package that `npx {address}` runs, so that every installation hands out the very version
 * that fits it and nothing has to be published. Made once; the same files always give the same bytes.
 */
export function getCliPackage(): Promise<CliPackage> {
  packed ??= packFolder();
  return packed;
}

async function packFolder(): Promise<CliPackage> {
  const archive = pack();
  const names = (await readdir(CLI_FOLDER, { recursive: true })).map((name) => name.replaceAll('\\', '/'));
  for (const name of names.filter((each) => PACKED.test(each)).sort()) {
    const content = await readFile(`${CLI_FOLDER}${name}`);
    const mode = name === 'portage.mjs' ? 0o755 : 0o644;
    archive.entry({ name: `package/${name}`, mode, mtime: new Date(0) }, content);
  }
  archive.finalize();
  const bytes = await promisify(gzip)(await buffer(archive));
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(`${CLI_FOLDER}package.json`, 'utf8')));
  const hash = createHash('sha256').update(bytes).digest('hex');
  return { bytes, etag: hashTag(bytes), release: `${version}-${hash.slice(0, RELEASE_HASH_LENGTH)}` };
}
