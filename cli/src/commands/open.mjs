import { spawn } from 'node:child_process';
import { resolveSite } from '../resolve-site.mjs';

/**
 * Prints the live address of a site and, on a terminal, opens it in the browser.
 * @param {import('../main.mjs').CommandContext} context
 * @param {{ site: string }} options
 */
export async function open({ client, output }, { site: wanted }) {
  const site = await resolveSite(client, wanted);
  output.result({ url: site.subdomain_url }, site.subdomain_url);
  if (process.stdout.isTTY && !output.isJson) openInBrowser(site.subdomain_url);
}

/** @param {string} url */
function openInBrowser(url) {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['explorer', url]
        : ['xdg-open', url];
  const child = spawn(command ?? 'open', args, { detached: true, stdio: 'ignore' });
  // The address has been printed: nothing is lost without a browser.
  child.on('error', () => undefined);
  child.unref();
}
