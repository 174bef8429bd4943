import { formatTable } from '../format.mjs';

/** @typedef {import('../resolve-site.mjs').Site} Site */

/**
 * Lists the sites that the credential can access.
 * @param {import('../main.mjs').CommandContext} context
 */
export async function listSites({ client, output }) {
  const sites = /** @type {Site[]} */ (/** @type {unknown} */ (await client.list('/sites?limit=200')));
  const rows = sites.map((site) => [
    site.name,
    site.subdomain_url,
    site.deployed_at ?? 'never deployed',
    site.id,
  ]);
  output.result(
    sites,
    sites.length === 0
      ? 'This credential does not give access to any site.'
      : formatTable([['NAME', 'ADDRESS', 'DEPLOYED', 'ID'], ...rows]),
  );
}
