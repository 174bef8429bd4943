import { randomUUID } from 'node:crypto';
import { CliError, EXIT } from '../cli-error.mjs';
import { formatCount } from '../format.mjs';
import { resolveSite } from '../resolve-site.mjs';
import { stateOf } from './versions.mjs';

/** @typedef {import('./versions.mjs').Version} Version */

/**
 * Makes an earlier version current: a number, an id, or `previous` for the one before the current version.
 * @param {import('../main.mjs').CommandContext} context
 * @param {{ site: string, version: string }} options
 */
export async function rollback({ client, output }, { site: wanted, version }) {
  const site = await resolveSite(client, wanted);
  const path = `/sites/${site.id}/versions?limit=200`;
  const versions = /** @type {Version[]} */ (/** @type {unknown} */ (await client.list(path)));
  const target = chooseVersion(versions, version);
  const { json } = await client.call('POST', `/sites/${site.id}/rollback`, {
    json: { version_id: target.id },
    headers: { 'idempotency-key': `cli-${randomUUID()}` },
  });
  const result = /** @type {{ version: Version, reverted: number }} */ (json);
  const text = `Version ${result.version.number} of ${site.name} is live again; ${formatCount(result.reverted, 'newer version')} reverted.\n  Live     ${site.subdomain_url}`;
  output.result({ site: { id: site.id, name: site.name }, ...result }, text);
}

/**
 * @param {readonly Version[]} versions the newest first
 * @param {string} wanted
 */
function chooseVersion(versions, wanted) {
  const current = versions.find((version) => version.is_current);
  const found =
    wanted === 'previous'
      ? versions.find((each) => stateOf(each) === 'earlier' && each.number < (current?.number ?? 0))
      : versions.find((each) => each.id === wanted || String(each.number) === wanted);
  if (found) return found;
  const message =
    wanted === 'previous' ? 'There is no earlier version to go back to.' : `There is no version ${wanted}.`;
  throw new CliError(EXIT.refused, message, { code: 'version_not_found' });
}
