import { checkLimits } from '../check-limits.mjs';
import { CliError, EXIT } from '../cli-error.mjs';
import { formatBytes, formatCount } from '../format.mjs';
import { hashFiles } from '../hash-files.mjs';
import { openVersion } from '../open-version.mjs';
import { resolveSite } from '../resolve-site.mjs';
import { scanFolder } from '../scan-folder.mjs';
import { uploadFiles } from '../upload-files.mjs';

/** Sealing validates the whole manifest: with many files the server takes a while to respond. */
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
 * @property {number} [problem_count] of which these are the first; servers of earlier releases name all
 * @property {boolean} is_published
 * @property {number | null} superseded_by the newer version that stays live
 * @property {string} live_url
 * @property {string} preview_url
 */

/**
 * Deploys a folder: only content that the organization has never uploaded is sent. If run again after an
 * interruption, it continues where it stopped.
 * @param {import('../main.mjs').CommandContext} context
 * @param {{ folder: string, site: string, message?: string, publish: boolean }} options
 */
export async function deploy(context, { folder, site: wanted, message, publish }) {
  const { client, progress, output } = context;
  const startedAt = Date.now();
  const { files: found, skipped } = await scanFolder(folder);
  for (const { path, reason } of skipped) progress.warn(`Left out ${path}: ${reason}.`);
  const site = await resolveSite(client, wanted);
  await checkLimits(client, found);

  progress.start(`Reading ${formatCount(found.length, 'file')}`, sum(found));
  const files = await hashFiles(found, (bytes) => progress.advance(bytes));
  progress.clear();

  progress.note('Comparing with the server');
  const { version, missing } = await openVersion(client, site.id, files, message);
  progress.clear();
  const versionPath = `/sites/${site.id}/versions/${version.id}`;
  const byHash = new Map(files.map((file) => [file.sha256, file]));
  const toSend = missing.map((sha256) => {
    const file = byHash.get(sha256);
    if (!file) throw new CliError(EXIT.failure, `The server asks for ${sha256}, which is in no file.`);
    return file;
  });
  if (toSend.length > 0) {
    progress.start(`Uploading ${formatCount(toSend.length, 'new file')}`, sum(toSend));
    await uploadFiles(client, versionPath, toSend, (bytes) => progress.advance(bytes)).catch((error) => {
      // Another run of the same files has sent the rest.
      if (!(error instanceof CliError && error.code === 'version_sealed')) throw error;
    });
    progress.clear();
  }

  progress.note(publish ? 'Publishing' : 'Sealing');
  const sealed = await client.call('POST', `${versionPath}/seal`, {
    json: { publish, file_count: new Set(files.map((file) => file.path)).size },
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
 * @param {string} name
 * @param {number} number
 * @param {DeployReport} report
 * @param {number} seconds
 */
function describe(name, number, report, seconds) {
  const { added, changed, removed, unchanged, problems } = report;
  const changes = Object.entries({ added, changed, removed, unchanged })
    .map(([change, count]) => `${count.toLocaleString('en-CA')} ${change}`)
    .join(', ');
  const lines = [
    `${report.is_published ? 'Deployed' : 'Sealed'} version ${number} of ${name} in ${seconds.toFixed(1)} s`,
    ...(report.superseded_by === null
      ? []
      : [`  Version ${report.superseded_by} is newer and stays live; this one is only a preview.`]),
    ...(report.is_published ? [`  Live     ${report.live_url}`] : []),
    `  Preview  ${report.preview_url}`,
    `  Changes  ${changes} (${formatBytes(report.new_bytes)} new)`,
  ];
  if (problems.length > 0) {
    const count = report.problem_count ?? problems.length;
    lines.push(`  ${formatCount(count, 'rule')} not understood:`);
    for (const problem of problems) {
      lines.push(
        `    ${problem.file}:${problem.line_number}  ${problem.message}`,
        `      ${problem.line.trim()}`,
      );
    }
    if (count > problems.length) lines.push(`    and ${count - problems.length} more`);
  }
  return lines.join('\n');
}

/** @param {readonly { size: number }[]} files */
function sum(files) {
  return files.reduce((total, file) => total + file.size, 0);
}
