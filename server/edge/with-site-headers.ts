import type { SiteView } from './site-view.ts';
import { writtenName } from './written-name.ts';

/**
 * The head of an answer that is not a file of the site (a redirect, our own page, a refused condition), with what the site's
 * `_headers` say for the path: a script that asks from another origin has to be allowed to see these too. What the answer says
 * itself stays, and `Vary` is added to.
 */
export function withSiteHeaders(view: SiteView, path: string, headers: readonly string[]): string[] {
  const given = new Map<string, string>();
  view.applyHeaders(path, given);
  // It is about a body that is ours, or that there is not.
  given.delete('content-type');
  const answer: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const written = headers[index] ?? '';
    const value = headers[index + 1] ?? '';
    const name = written.toLowerCase();
    const added = name === 'vary' ? given.get(name) : undefined;
    answer.push(written, added === undefined ? value : `${value}, ${added}`);
    given.delete(name);
  }
  for (const [name, value] of given) answer.push(writtenName(name), value);
  return answer;
}
