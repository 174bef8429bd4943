import { createHash, randomUUID } from 'node:crypto';
import { CliError, EXIT } from '../cli-error.mjs';
import { formatBytes, formatCount } from '../format.mjs';
import { hashFiles } from '../hash-files.mjs';
import { resolveSite } from '../resolve-site.mjs';
import { scanFolder } from '../scan-folder.mjs';
import { uploadFiles } from '../upload-files.mjs';

/** Encodings are made at the seal: with thousands of files the server is silent for a while. */
const SEAL_SILENCE_MS = 15 * 60_000;

/**
 * @typedef {object} DeployReport
 * @property {string} version_id
 * @property {number} added
 * @property {number} changed
 * @property {number} removed
 * @property {number} unchanged
 * @property {number} file_count
 * @property {number} total_bytes
 * @property {number} new_bytes
 * @property {{ file: string, line_number: number, line: string, message: string }[]} problems
 * @property {boolean} is_published
 * @property {string} live_url
 * @property {string} preview_url
 */

/** @typedef {{ id: string, number: number, missing: string[] }} OpenedVersion */

/**
 * Deploys a folder: only content that the organization has never sent travels. Run again after an interruption, it goes on
 * where it stopped.
 * @param {import('../main.mjs').CommandContext} context
 * @param {{ folder: string, site: string, message?: string, publish: boolean }} options
 */
export async function deploy(context, { folder, site: wanted, message, publish }) {
  const { client, progress, output } = context;
  const startedAt = Date.now();
  const { files: found, skippedLinks } = await scanFolder(folder);
  for (const path of skippedLinks) progress.warn(`Left out ${path}: the link leads outside of the folder.`);
  const site = await resolveSite(client, wanted);

  progress.start(`Reading ${formatCount(found.length, 'file')}`, sum(found));
  const files = await hashFiles(found, (bytes) => progress.advance(bytes));
  progress.clear();

  const { version, missing } = await openVersion(client, site.id, files, message);
  const versionPath = `/sites/${site.id}/versions/${version.id}`;
  const byHash = new Map(files.map((file) => [file.sha256, file]));
  const toSend = missing.map((sha256) => {
    const file = byHash.get(sha256);
    if (!file) throw new CliError(EXIT.failure, `The server asks for ${sha256}, which is in no file.`);
    return file;
  });
  if (toSend.length > 0) {
    progress.start(`Uploading ${formatCount(toSend.length, 'new file')}`, sum(toSend));
    await uploadFiles(client, versionPath, toSend, (bytes) => progress.advance(bytes));
    progress.clear();
  }

  progress.note(publish ? 'Publishing' : 'Sealing');
  const sealed = await client.call('POST', `${versionPath}/seal`, {
    json: { publish },
    silenceMs: SEAL_SILENCE_MS,
  });
  progress.clear();
  const report = /** @type {DeployReport} */ (sealed.json);
  const uploaded = { uploaded_files: toSend.length, uploaded_bytes: sum(toSend) };
  const timing = { seconds: (Date.now() - startedAt) / 1000 };
  output.result(
    {
      site: { id: site.id, name: site.name },
      version: { id: version.id, number: version.number },
      ...uploaded,
      ...timing,
      report,
    },
    describe(site.name, version.number, report, timing.seconds),
  );
}

/**
 * Opens the version, or goes on with one that an interrupted run of the same files left open: the key of the request names
 * the files, so the server answers with what it opened before.
 * @param {import('../api-client.mjs').ApiClient} client
 * @param {string} siteId
 * @param {readonly import('../hash-files.mjs').HashedFile[]} files
 * @param {string | undefined} message
 * @returns {Promise<{ version: OpenedVersion, missing: string[] }>}
 */
async function openVersion(client, siteId, files, message) {
  const manifest = Object.fromEntries(files.map(({ path, sha256, size }) => [path, { sha256, size }]));
  const json = { files: manifest, source: 'cli', ...(message === undefined ? {} : { message }) };
  const open = async (/** @type {string} */ key) => {
    const headers = { 'idempotency-key': key };
    const answer = await client.call('POST', `/sites/${siteId}/versions`, { json, headers });
    const version = /** @type {OpenedVersion} */ (answer.json);
    return { version, isKnown: answer.headers['idempotency-replayed'] === 'true' };
  };
  const nameOfFiles = createHash('sha256').update(JSON.stringify(json)).digest('hex');
  const first = await open(`cli-${siteId}-${nameOfFiles}`).catch((error) => {
    if (error instanceof CliError && error.code === 'idempotency_key_reused') return null;
    throw error;
  });
  if (first && !first.isKnown) return { version: first.version, missing: first.version.missing };
  const missing = first ? await findMissing(client, siteId, first.version.id) : null;
  if (first && missing) return { version: first.version, missing };
  const { version } = await open(`cli-${randomUUID()}`);
  return { version, missing: version.missing };
}

/**
 * Returns what an open version still waits for, or null when it is sealed or gone.
 * @param {import('../api-client.mjs').ApiClient} client
 * @param {string} siteId
 * @param {string} versionId
 */
async function findMissing(client, siteId, versionId) {
  try {
    const { json } = await client.call('GET', `/sites/${siteId}/versions/${versionId}/missing`);
    return /** @type {{ missing: string[] }} */ (json).missing;
  } catch (error) {
    if (error instanceof CliError && (error.status === 404 || error.status === 409)) return null;
    throw error;
  }
}

/**
 * @param {string} name
 * @param {number} number
 * @param {DeployReport} report
 * @param {number} seconds
 */
function describe(name, number, report, seconds) {
  const { added, changed, removed, unchanged, problems } = report;
  const lines = [
    `${report.is_published ? 'Deployed' : 'Sealed'} version ${number} of ${name} in ${seconds.toFixed(1)} s`,
    ...(report.is_published ? [`  Live     ${report.live_url}`] : []),
    `  Preview  ${report.preview_url}`,
    `  Changes  ${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged (${formatBytes(report.new_bytes)} new)`,
  ];
  if (problems.length > 0) {
    lines.push(`  ${formatCount(problems.length, 'rule')} not understood:`);
    for (const problem of problems) {
      lines.push(
        `    ${problem.file}:${problem.line_number}  ${problem.message}`,
        `      ${problem.line.trim()}`,
      );
    }
  }
  return lines.join('\n');
}

/** @param {readonly { size: number }[]} files */
function sum(files) {
  return files.reduce((total, file) => total + file.size, 0);
}
