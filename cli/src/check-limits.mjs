import { CliError, EXIT } from './cli-error.mjs';
import { formatBytes, formatCount } from './format.mjs';

/**
 * @typedef {{ files: number, file_bytes: number, version_bytes: number, path_bytes: number }} DeployLimits
 */

/**
 * Checks whether the server would accept these files, before hours are spent reading them.
 * @param {import('./api-client.mjs').ApiClient} client
 * @param {readonly import('./scan-folder.mjs').LocalFile[]} files
 * @throws {CliError} naming the first limit that they exceed
 */
export async function checkLimits(client, files) {
  const { json } = await client.call('GET', '/deploy-limits');
  const limits = /** @type {DeployLimits} */ (json);
  if (files.length > limits.files) {
    const most = formatCount(limits.files, 'file');
    refuse(
      'limit_files',
      `The folder has ${formatCount(files.length, 'file')}; a version has at most ${most}.`,
    );
  }
  let total = 0;
  for (const { path, size } of files) {
    if (Buffer.byteLength(path) > limits.path_bytes) {
      const shown = `${path.slice(0, 80)}…`;
      refuse('unsafe_path', `The path ${shown} is longer than ${limits.path_bytes} bytes.`);
    }
    if (size > limits.file_bytes) {
      const most = formatBytes(limits.file_bytes);
      refuse('limit_file_bytes', `${path} has ${formatBytes(size)}; a file has at most ${most}.`);
    }
    total += size;
  }
  if (total > limits.version_bytes) {
    const most = formatBytes(limits.version_bytes);
    refuse('limit_version_bytes', `The folder has ${formatBytes(total)}; a version has at most ${most}.`);
  }
}

/**
 * @param {string} code
 * @param {string} message
 * @returns {never}
 */
function refuse(code, message) {
  throw new CliError(EXIT.refused, `${message} Nothing was sent.`, { code });
}
