import type { SiteView } from '../site-view.ts';
import { writtenName } from './written-name.ts';

/**
 * Returns the head of a response that is not a file of the site (a redirect, our own page, a refused
 * condition), with the site's `_headers` for the path: a script on another origin must be allowed to read
 * these too. The response's own headers are kept, and `Vary` is added to.
 */
export function withSiteHeaders(view: SiteView, path: string, headers: readonly string[]): string[] {
  const given = new Map<string, string>();
  view.applyHeaders(path, given);
  // It would describe a body that is ours, or absent.
  given.delete('content-type');
  const response: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const written = headers[index] ?? '';
    const value = headers[index + 1] ?? '';
    const name = written.toLowerCase();
    const added = name === 'vary' ? given.get(name) : undefined;
    response.push(written, added === undefined ? value : `${value}, ${added}`);
    given.delete(name);
  }
  for (const [name, value] of given) response.push(writtenName(name), value);
  return response;
}
