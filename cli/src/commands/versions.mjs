import { formatBytes, formatCount, formatTable } from '../format.mjs';
import { resolveSite } from '../resolve-site.mjs';

/**
 * @typedef {object} Version
 * @property {string} id
 * @property {number} number
 * @property {string | null} message
 * @property {string} created_by
 * @property {string} created_at
 * @property {string | null} sealed_at
 * @property {string | null} reverted_at
 * @property {boolean} is_current
 * @property {number} file_count
 * @property {number} total_bytes
 */

/**
 * Lists the versions of a site, newest first.
 * @param {import('../main.mjs').CommandContext} context
 * @param {{ site: string, limit: number }} options
 */
export async function listVersions({ client, output }, { site: wanted, limit }) {
  const site = await resolveSite(client, wanted);
  const path = `/sites/${site.id}/versions?limit=${Math.min(limit, 200)}`;
  const versions = /** @type {Version[]} */ (/** @type {unknown} */ (await client.list(path, limit)));
  const rows = versions.map((version) => [
    String(version.number),
    stateOf(version),
    version.created_at,
    version.created_by,
    `${formatCount(version.file_count, 'file')}, ${formatBytes(version.total_bytes)}`,
    version.message ?? '',
    version.id,
  ]);
  output.result(
    versions,
    versions.length === 0
      ? `${site.name} has no versions yet.`
      : formatTable([['VERSION', 'STATE', 'CREATED', 'BY', 'SIZE', 'MESSAGE', 'ID'], ...rows]),
  );
}

/** @param {Version} version */
export function stateOf(version) {
  if (version.is_current) return 'current';
  if (version.reverted_at !== null) return 'reverted';
  return version.sealed_at === null ? 'open' : 'earlier';
}
