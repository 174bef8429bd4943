/** How many addresses one client may have, and how long each may be. */
export const REDIRECT_URIS_MAX = 10;
const REDIRECT_URI_LENGTH_MAX = 500;

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export type RedirectUriProblem = 'form' | 'scheme' | 'credentials' | 'fragment' | 'wildcard';

/**
 * Returns the problem of a redirect URI, or null when it may be used: a full https address, or http on this
 * machine. It is later compared letter by letter, so it may contain no placeholders.
 */
export function redirectUriProblem(uri: string): RedirectUriProblem | null {
  if (uri.length > REDIRECT_URI_LENGTH_MAX || /[\s\\]/.test(uri) || !URL.canParse(uri)) return 'form';
  const { protocol, hostname, username, password } = new URL(uri);
  const isLocal = protocol === 'http:' && LOCAL_HOSTS.has(hostname);
  if (protocol !== 'https:' && !isLocal) return 'scheme';
  if (username !== '' || password !== '') return 'credentials';
  if (uri.includes('#')) return 'fragment';
  return uri.includes('*') ? 'wildcard' : null;
}

export const REDIRECT_URI_PROBLEM_MESSAGE: Record<RedirectUriProblem, string> = {
  form: `Give a full address of at most ${REDIRECT_URI_LENGTH_MAX} characters`,
  scheme: 'Use https, or http on localhost',
  credentials: 'Leave out user name and password',
  fragment: 'Leave out the part after #',
  wildcard: 'Give each address in full, without *',
};
