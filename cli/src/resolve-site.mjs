import { CliError, EXIT } from './cli-error.mjs';

/**
 * @typedef {object} Site
 * @property {string} id
 * @property {string} name
 * @property {string} subdomain
 * @property {string} subdomain_url
 * @property {string | null} current_version_id
 * @property {string | null} deployed_at
 */

/** An id: the 26 letters and digits of a lower-case ULID. */
const ID_FORM = /^[0-9a-hjkmnp-tv-z]{26}$/;

/**
 * Returns the site that a person means, by id, address or name.
 * @param {import('./api-client.mjs').ApiClient} client
 * @param {string} wanted
 * @returns {Promise<Site>}
 * @throws {CliError} when no site or several sites match
 */
export async function resolveSite(client, wanted) {
  if (ID_FORM.test(wanted)) {
    try {
      return /** @type {Site} */ ((await client.call('GET', `/sites/${wanted}`)).json);
    } catch (error) {
      const isUnknown = error instanceof CliError && (error.status === 403 || error.status === 404);
      if (!isUnknown) throw error;
    }
  }
  const query = new URLSearchParams({ search: wanted, limit: '200' });
  const sites = /** @type {Site[]} */ (/** @type {unknown} */ (await client.list(`/sites?${query}`)));
  const name = wanted.toLowerCase();
  const byAddress = sites.find((site) => site.subdomain === name);
  if (byAddress) return byAddress;
  const byName = sites.filter((site) => site.name.toLowerCase() === name);
  if (byName.length === 1 && byName[0]) return byName[0];
  if (byName.length > 1) {
    const addresses = byName.map((site) => site.subdomain).join(', ');
    throw new CliError(
      EXIT.refused,
      `Several sites are named ${wanted}: ${addresses}. Name one by its address.`,
    );
  }
  throw new CliError(EXIT.refused, `This credential does not give access to a site ${wanted}.`, {
    code: 'site_not_found',
  });
}
