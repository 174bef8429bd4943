import { hasStackedMarks } from '../shared/text-rules.ts';
import { readHostname } from './hostname-rules.ts';
import { REDIRECT_TARGET_MAX } from './rules.ts';

/** Why a text is no address to redirect to; the words complete "… an absolute http or https address with a host: …". */
export const REDIRECT_PROBLEMS = {
  relative: 'it does not begin with https:// or http://',
  host: 'its host is no hostname of the Internet',
  address: 'its host is an IP address',
  local: 'its host is the visitor’s own machine',
  credentials: 'it has a user name or a password',
  long: `it has at most ${REDIRECT_TARGET_MAX} characters`,
} as const;
export type RedirectProblem = keyof typeof REDIRECT_PROBLEMS;

export type ReadRedirectTarget =
  | { target: string; host: string; problem: null }
  | { target: null; host: null; problem: RedirectProblem };

/**
 * Returns what somebody typed as an absolute address in its canonical form, with its hostname. An address without a path
 * has no slash at its end. Runs in the browser too.
 */
export function readRedirectTarget(typed: string): ReadRedirectTarget {
  const text = typed.trim();
  if (!/^https?:\/\//i.test(text)) return refuse('relative');
  // Before it is read as an address, which normalises its host.
  if (text.length > REDIRECT_TARGET_MAX) return refuse('long');
  if (hasStackedMarks(text) || !URL.canParse(text)) return refuse('host');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return refuse('credentials');
  const { hostname, problem } = readHostname(url.hostname);
  if (problem) return refuse(problem === 'address' ? 'address' : 'host');
  // A canonical host ends without a dot, so that an address never seems to lead elsewhere than its twin.
  url.hostname = hostname;
  const isBare = url.pathname === '/' && url.search === '' && url.hash === '';
  const target = isBare ? url.origin : url.href;
  if (target.length > REDIRECT_TARGET_MAX) return refuse('long');
  return { target, host: hostname, problem: null };
}

function refuse(problem: RedirectProblem): ReadRedirectTarget {
  return { target: null, host: null, problem };
}
