import { hasStackedMarks, withoutUnseen } from '../shared/text-rules.ts';
import { readHostname } from './hostname-rules.ts';
import { REDIRECT_TARGET_MAX } from './rules.ts';

/**
 * Why a text is not an address to redirect to; the messages complete "… an absolute http or https address
 * with a host: …".
 */
export const REDIRECT_PROBLEMS = {
  relative: 'it does not begin with https:// or http://',
  host: 'its host is not a hostname on the internet',
  address: 'its host is an IP address',
  local: 'its host is the visitor’s own computer',
  credentials: 'it has a user name or a password',
  long: `it can have at most ${REDIRECT_TARGET_MAX} characters`,
} as const;
export type RedirectProblem = keyof typeof REDIRECT_PROBLEMS;

export type ReadRedirectTarget =
  | { target: string; host: string; problem: null }
  | { target: null; host: null; problem: RedirectProblem };

/**
 * Returns typed text as a normalized absolute address, with its hostname. An address without a path has no
 * trailing slash. Also runs in the browser.
 */
export function readRedirectTarget(typed: string): ReadRedirectTarget {
  const text = withoutUnseen(typed).trim();
  if (!/^https?:\/\//i.test(text)) return refuse('relative');
  // Before it is parsed as an address, which normalizes its host.
  if (text.length > REDIRECT_TARGET_MAX) return refuse('long');
  if (hasStackedMarks(text) || !URL.canParse(text)) return refuse('host');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return refuse('credentials');
  const { hostname, problem } = readHostname(url.hostname);
  if (problem) return refuse(problem === 'address' ? 'address' : 'host');
  // A normalized host has no trailing dot, so that two spellings of an address never differ.
  url.hostname = hostname;
  const isBare = url.pathname === '/' && url.search === '' && url.hash === '';
  const target = isBare ? url.origin : url.href;
  if (target.length > REDIRECT_TARGET_MAX) return refuse('long');
  return { target, host: hostname, problem: null };
}

function refuse(problem: RedirectProblem): ReadRedirectTarget {
  return { target: null, host: null, problem };
}
