import { createReadStream } from 'node:fs';
import { FILE_CHANGED } from './api-client.mjs';
import { CliError, EXIT } from './cli-error.mjs';
import { eachConcurrently } from './map-concurrently.mjs';
import { readSmallFile } from './read-small-file.mjs';
import { refuseUnreadable } from './unreadable.mjs';
import { UploadPace } from './upload-pace.mjs';
import { writeTar } from './write-tar.mjs';

/** @typedef {import('./hash-files.mjs').HashedFile} HashedFile */

/**
 * Smaller files are sent together in a tar, so that thousands of files do not take thousands of round trips.
 */
const SMALL_BYTES_MAX = 512 * 1024;
const BATCH_FILES_MAX = 1000;
const REQUESTS_AT_ONCE = 4;

/**
 * Sends the content of the given files, one file per hash, to an open version.
 * @param {import('./api-client.mjs').ApiClient} client
 * @param {string} versionPath
 * @param {readonly HashedFile[]} files
 * @param {(bytes: number) => void} onSent
 */
export async function uploadFiles(client, versionPath, files, onSent) {
  const small = files.filter((file) => file.size <= SMALL_BYTES_MAX);
  // What the server stores in one place is sent in one batch.
  small.sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  const large = files.filter((file) => file.size > SMALL_BYTES_MAX);
  const pace = new UploadPace();
  await eachConcurrently(requestsOf(large, small, pace), REQUESTS_AT_ONCE, async (batch) => {
    const startedAt = Date.now();
    const [file] = batch;
    const isAlone = file !== undefined && file.size > SMALL_BYTES_MAX;
    const sending = isAlone
      ? uploadLarge(client, versionPath, file, onSent)
      : uploadBatch(client, versionPath, batch, onSent);
    await sending.catch(nameChangedFile(batch)).catch((error) => {
      // What else is on its way would only delay the message.
      client.end();
      throw error;
    });
    pace.record(sizeOf(batch), Date.now() - startedAt);
  });
}

/**
 * Yields what each request sends: a large file, or as many small ones as the line takes by then.
 * @param {readonly HashedFile[]} large
 * @param {readonly HashedFile[]} small
 * @param {UploadPace} pace
 */
function* requestsOf(large, small, pace) {
  for (const file of large) yield [file];
  let start = 0;
  while (start < small.length) {
    const batch = small.slice(start, start + BATCH_FILES_MAX);
    let bytes = 0;
    const end = batch.findIndex(({ size }, index) => {
      bytes += size;
      return index > 0 && bytes > pace.bytesMax;
    });
    if (end > 0) batch.length = end;
    start += batch.length;
    yield batch;
  }
}

/** @param {readonly HashedFile[]} files */
function sizeOf(files) {
  return files.reduce((sum, file) => sum + file.size, 0);
}

/**
 * @param {import('./api-client.mjs').ApiClient} client
 * @param {string} versionPath
 * @param {HashedFile} file
 * @param {(bytes: number) => void} onSent
 */
async function uploadLarge(client, versionPath, file, onSent) {
  await client.call('PUT', `${versionPath}/blobs/${file.sha256}`, {
    // Never more than announced, even when the file has grown since it was hashed.
    openBody: () => createReadStream(file.source, { end: file.size - 1, highWaterMark: 256 * 1024 }),
    bodyLength: file.size,
    contentType: 'application/octet-stream',
    onSent,
  });
}

/**
 * @param {import('./api-client.mjs').ApiClient} client
 * @param {string} versionPath
 * @param {readonly HashedFile[]} batch
 * @param {(bytes: number) => void} onSent
 */
async function uploadBatch(client, versionPath, batch, onSent) {
  const entries = await Promise.all(
    batch.map(async (file) => {
      const content = await readSmallFile(file).catch(refuseUnreadable(file.path));
      if (content.length !== file.size) throw changedWhileDeploying(file.path);
      return { name: file.sha256, content };
    }),
  );
  const bytes = sizeOf(batch);
  const body = writeTar(entries);
  let sent = 0;
  await client.call('POST', `${versionPath}/blobs`, {
    body,
    contentType: 'application/x-tar',
    // What goes out has headers and padding, which are not part of the files.
    onSent: (tarBytes) => {
      const before = shareOf(bytes, sent, body.length);
      sent += tarBytes;
      onSent(shareOf(bytes, sent, body.length) - before);
    },
  });
}

/**
 * @param {number} bytes
 * @param {number} done
 * @param {number} total
 */
function shareOf(bytes, done, total) {
  return Math.round((bytes * done) / total);
}

/**
 * Returns what makes the server's refusal of other content than announced tell which file has changed.
 * @param {readonly HashedFile[]} files
 * @returns {(error: unknown) => never}
 */
function nameChangedFile(files) {
  return (error) => {
    if (!(error instanceof CliError)) throw error;
    const isNamed = (/** @type {HashedFile} */ { sha256 }) => error.message.includes(sha256);
    const changed =
      error.code === FILE_CHANGED
        ? files[0]
        : error.code === 'hash_mismatch'
          ? files.find(isNamed)
          : undefined;
    throw changed ? changedWhileDeploying(changed.path) : error;
  };
}

/** @param {string} path */
function changedWhileDeploying(path) {
  return new CliError(EXIT.failure, `${path} changed while it was being deployed. Deploy again.`);
}
