import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { mapConcurrently } from './map-concurrently.mjs';
import { readSmallFile } from './read-small-file.mjs';
import { refuseUnreadable } from './unreadable.mjs';

/** @typedef {import('./cli-error.mjs').CliError} CliError */
/** @typedef {import('./scan-folder.mjs').LocalFile} LocalFile */
/** @typedef {LocalFile & { sha256: string }} HashedFile */

const FILES_AT_ONCE = 16;
const READ_WHOLE_BYTES_MAX = 1024 ** 2;
/** Then the progress is shown. */
const FILES_A_TURN = 200;

/**
 * Returns the files with their SHA-256 and the size that was hashed. Large files are streamed.
 * @param {readonly LocalFile[]} files
 * @param {(bytes: number) => void} onHashed
 * @returns {Promise<HashedFile[]>}
 * @throws {CliError} when one cannot be read (any more)
 */
export function hashFiles(files, onHashed) {
  let begun = 0;
  return mapConcurrently(files, FILES_AT_ONCE, async (file) => {
    begun += 1;
    if (begun % FILES_A_TURN === 0) await nextTurn();
    const { size, sha256 } = await hashFile(file).catch(refuseUnreadable(file.path));
    onHashed(size);
    return { ...file, size, sha256 };
  });
}

/**
 * @param {LocalFile} file
 * @returns {Promise<{ size: number, sha256: string }>}
 */
async function hashFile(file) {
  if (file.size <= READ_WHOLE_BYTES_MAX) {
    const content = await readSmallFile(file);
    const sha256 = createHash('sha256').update(content).digest('hex');
    if (content.length <= file.size) return { size: content.length, sha256 };
  }
  const hash = createHash('sha256');
  let size = 0;
  await pipeline(createReadStream(file.source, { highWaterMark: 512 * 1024 }), async (chunks) => {
    for await (const chunk of chunks) {
      size += chunk.length;
      hash.update(chunk);
    }
  });
  return { size, sha256: hash.digest('hex') };
}
