import { createReadStream } from 'node:fs';
import { CliError, EXIT } from './cli-error.mjs';
import { mapConcurrently } from './map-concurrently.mjs';
import { readSmallFile } from './read-small-file.mjs';
import { refuseUnreadable } from './unreadable.mjs';
import { writeTar } from './write-tar.mjs';

/** @typedef {import('./hash-files.mjs').HashedFile} HashedFile */

/**
 * Smaller files are sent together in a tar, so that thousands of files do not take thousands of round trips.
 */
const SMALL_BYTES_MAX = 512 * 1024;
const BATCH_BYTES_MAX = 8 * 1024 ** 2;
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
  /** @type {(() => Promise<unknown>)[]} */
  const jobs = [
    ...large.map((file) => () => uploadLarge(client, versionPath, file, onSent)),
    ...toBatches(small).map((batch) => () => uploadBatch(client, versionPath, batch, onSent)),
  ];
  await mapConcurrently(jobs, REQUESTS_AT_ONCE, (job) => job());
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
  const bytes = batch.reduce((sum, file) => sum + file.size, 0);
  await client.call('POST', `${versionPath}/blobs`, {
    body: writeTar(entries),
    contentType: 'application/x-tar',
  });
  onSent(bytes);
}

/** @param {string} path */
function changedWhileDeploying(path) {
  return new CliError(EXIT.failure, `${path} changed while it was being deployed. Deploy again.`);
}

/**
 * @param {readonly HashedFile[]} files
 * @returns {HashedFile[][]}
 */
function toBatches(files) {
  /** @type {HashedFile[][]} */
  const batches = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const file of files) {
    const current = batches.at(-1);
    if (!current || bytes + file.size > BATCH_BYTES_MAX || current.length >= BATCH_FILES_MAX) {
      batches.push([file]);
      bytes = file.size;
    } else {
      current.push(file);
      bytes += file.size;
    }
  }
  return batches;
}
