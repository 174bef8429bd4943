import { createHash, randomUUID } from 'node:crypto';
import { CliError } from './cli-error.mjs';
import { mapConcurrently } from './map-concurrently.mjs';

/** @typedef {import('./hash-files.mjs').HashedFile} HashedFile */
/** @typedef {{ id: string, number: number, missing: string[] }} OpenedVersion */

/** A manifest beyond either is sent in parts; the server accepts 1 MiB at a time. */
const PART_FILES_MAX = 2500;
const PART_BYTES_MAX = 500_000;
/** Of an entry in addition to its path: the hash, the size and the JSON punctuation. */
const ENTRY_BYTES = 120;
const PARTS_AT_ONCE = 2;

/**
 * Opens the version, or continues with one that an interrupted run of the same files left open: the
 * idempotency key is derived from the files, so the server returns what it opened before. Returns which
 * content must be sent.
 * @param {import('./api-client.mjs').ApiClient} client
 * @param {string} siteId
 * @param {readonly HashedFile[]} files
 * @param {string | undefined} message
 * @returns {Promise<{ version: OpenedVersion, missing: string[] }>}
 */
export async function openVersion(client, siteId, files, message) {
  const parts = toParts(files).map(toManifest);
  const [only] = parts;
  const about = { source: 'cli', ...(message === undefined ? {} : { message }) };
  const json = parts.length === 1 ? { files: only, ...about } : about;
  const open = async (/** @type {string} */ key) => {
    const headers = { 'idempotency-key': key };
    const answer = await client.call('POST', `/sites/${siteId}/versions`, { json, headers });
    const version = /** @type {OpenedVersion} */ (answer.json);
    return { version, isKnown: answer.headers['idempotency-replayed'] === 'true' };
  };
  const first = await open(`cli-${siteId}-${nameOf(parts, about)}`).catch((error) => {
    if (error instanceof CliError && String(error.code).startsWith('idempotency_')) return null;
    throw error;
  });
  const complete = (/** @type {{ version: OpenedVersion, isKnown: boolean }} */ { version, isKnown }) => {
    const path = `/sites/${siteId}/versions/${version.id}`;
    if (parts.length > 1) return addParts(client, path, parts);
    return isKnown ? listMissing(client, path) : Promise.resolve(version.missing);
  };
  if (first) {
    const missing = await complete(first).catch((error) => {
      if (isEnded(error)) return null;
      throw error;
    });
    if (missing) return { version: first.version, missing };
  }
  const next = await open(`cli-${randomUUID()}`);
  return { version: next.version, missing: await complete(next) };
}

/**
 * Returns one hash of a deploy's files and its other properties.
 * @param {readonly object[]} parts
 * @param {object} about
 */
function nameOf(parts, about) {
  const hash = createHash('sha256').update(JSON.stringify(about));
  for (const part of parts) hash.update(JSON.stringify(part));
  return hash.digest('hex');
}

/**
 * Sends the manifest part by part and returns what the server lacks. Parts that it already has change
 * nothing.
 * @param {import('./api-client.mjs').ApiClient} client
 * @param {string} versionPath
 * @param {readonly object[]} parts
 */
async function addParts(client, versionPath, parts) {
  const answers = await mapConcurrently(parts, PARTS_AT_ONCE, async (files) => {
    const { json } = await client.call('PUT', `${versionPath}/files`, { json: { files } });
    return /** @type {{ missing: string[] }} */ (json).missing;
  });
  return [...new Set(answers.flat())];
}

/**
 * Returns what an open version still lacks, page by page.
 * @param {import('./api-client.mjs').ApiClient} client
 * @param {string} versionPath
 */
async function listMissing(client, versionPath) {
  /** @type {Set<string>} */
  const all = new Set();
  let query = '';
  for (;;) {
    const { json } = await client.call('GET', `${versionPath}/missing${query}`);
    const page = /** @type {{ missing: string[], next_cursor?: string | null }} */ (json);
    for (const sha256 of page.missing) all.add(sha256);
    if (!page.next_cursor) return [...all];
    query = `?${new URLSearchParams({ cursor: page.next_cursor })}`;
  }
}

/**
 * Whether the version that another run of the same files opened, or continued, is sealed or deleted.
 * @param {unknown} error
 */
function isEnded(error) {
  return error instanceof CliError && (error.code === 'version_sealed' || error.code === 'version_not_found');
}

/**
 * @param {readonly HashedFile[]} files
 * @returns {HashedFile[][]}
 */
function toParts(files) {
  /** @type {HashedFile[][]} */
  const parts = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const file of files) {
    const size = ENTRY_BYTES + Buffer.byteLength(JSON.stringify(file.path));
    const current = parts.at(-1);
    if (!current || current.length >= PART_FILES_MAX || bytes + size > PART_BYTES_MAX) {
      parts.push([file]);
      bytes = size;
    } else {
      current.push(file);
      bytes += size;
    }
  }
  return parts;
}

/** @param {readonly HashedFile[]} files */
function toManifest(files) {
  return Object.fromEntries(files.map(({ path, sha256, size }) => [path, { sha256, size }]));
}
