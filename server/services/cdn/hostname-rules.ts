import { challengeName, isLocalName } from '../certificates/rules.ts';
import { withoutUnseen } from '../shared/text-rules.ts';
import { HOSTNAME_TYPED_MAX } from './rules.ts';

/** Longest label and longest name of the DNS (RFC 1035, 2.3.4). */
const LABEL_MAX = 63;
const HOSTNAME_MAX = 253;
/** Longest hostname for which the name of the challenge record still fits. */
const CLAIMED_MAX = HOSTNAME_MAX - challengeName('').length;

/** Why a text is not a usable hostname; the messages complete "The hostname … cannot be used: …". */
export const HOSTNAME_PROBLEMS = {
  empty: 'it is empty',
  characters: 'it can contain only letters, digits, hyphens and dots',
  label_empty: 'it begins with a dot or has two in a row',
  label_long: `each part between two dots can have at most ${LABEL_MAX} characters`,
  long: `it can have at most ${HOSTNAME_MAX} characters`,
  challenge_long: `it can have at most ${CLAIMED_MAX} characters, because the name of its challenge record is longer`,
  hyphen: 'no part can begin or end with a hyphen',
  encoding: 'a part is not a valid internationalized name',
  single_label: 'it needs a domain, as in www.example.ca',
  address: 'it is an IP address or ends in a number as one does',
  port: 'leave out the port',
  path: 'an endpoint serves the whole hostname, so leave out the path',
  wildcard: 'wildcards are not supported, so add each hostname separately',
  underscore: 'the hostname of a website cannot contain an underscore',
  special_use: 'names with this ending never point to a server on the internet',
  public_suffix: 'anyone can register names under it, so it is not your own',
} as const;
export type HostnameProblem = keyof typeof HOSTNAME_PROBLEMS;

/** The problems that the name alone reveals; only the server has the list of public suffixes. */
type ReadProblem = Exclude<HostnameProblem, 'public_suffix'>;

export type ReadHostname = { hostname: string; problem: null } | { hostname: null; problem: ReadProblem };

/**
 * Endings that the public DNS never resolves (RFC 6761, 6762, 7686, 9476), and `arpa`, which is
 * infrastructure.
 */
const SPECIAL_ENDINGS: ReadonlySet<string> = new Set([
  'alt',
  'arpa',
  'internal',
  'invalid',
  'local',
  'onion',
]);

/**
 * Returns typed text in the DNS form of a hostname: lower case, punycode, no trailing dot. An address such as
 * `https://www.example.ca/` counts as its hostname as long as it contains nothing else. Also runs in the
 * browser.
 */
export function readHostname(typed: string): ReadHostname {
  if (typed.length > HOSTNAME_TYPED_MAX) return { hostname: null, problem: 'long' };
  const written = withoutUnseen(typed)
    .trim()
    .replace(/^https?:\/\//i, '');
  const [, host = '', rest = ''] = /^([^/?#]*)(.*)$/su.exec(written) ?? [];
  const problem = problemOfText(host) ?? (rest === '' || rest === '/' ? null : 'path');
  if (problem) return { hostname: null, problem };
  const ascii = toAscii(host);
  if (ascii === null) return { hostname: null, problem: 'encoding' };
  const hostname = ascii.replace(/\.$/, '');
  const found = problemOfName(hostname);
  return found ? { hostname: null, problem: found } : { hostname, problem: null };
}

/**
 * Problems that must be found before the text is normalized, because a URL would interpret some of it
 * differently.
 */
function problemOfText(host: string): ReadProblem | null {
  if (host === '') return 'empty';
  if (host.startsWith('[') || host.split(':').length > 2) return 'address';
  if (/^[^:@]+:\d+$/.test(host)) return 'port';
  if (host.includes('*')) return 'wildcard';
  if (/[\s\p{Cc}!-,:-@[-^`{-~/]/u.test(host)) return 'characters';
  const last = host.normalize('NFKC').replace(/\.$/, '').split('.').at(-1) ?? '';
  if (/^(\d+|0x[\da-f]*)$/i.test(last)) return 'address';
  return null;
}

/**
 * Returns typed text as a hostname that an endpoint can have: its challenge record must be possible, too.
 * Also runs in the browser.
 */
export function readClaimedHostname(typed: string): ReadHostname {
  const read = readHostname(typed);
  return read.hostname !== null && read.hostname.length > CLAIMED_MAX
    ? { hostname: null, problem: 'challenge_long' }
    : read;
}

/** What is wrong with a normalized name. */
function problemOfName(hostname: string): ReadProblem | null {
  if (hostname === '') return 'empty';
  const labels = hostname.split('.');
  if (labels.includes('')) return 'label_empty';
  if (/^[\d.]+$/.test(hostname)) return 'address';
  if (hostname.includes('_')) return 'underscore';
  if (!/^[a-z0-9.-]+$/.test(hostname)) return 'characters';
  if (labels.some((label) => label.length > LABEL_MAX)) return 'label_long';
  if (hostname.length > HOSTNAME_MAX) return 'long';
  if (labels.some((label) => label.startsWith('-') || label.endsWith('-'))) return 'hyphen';
  // Two hyphens there mark an encoding, of which there is one (RFC 5890, 2.3.1); authorities refuse others.
  if (labels.some((label) => label.slice(2, 4) === '--' && !label.startsWith('xn--'))) return 'encoding';
  if (SPECIAL_ENDINGS.has(labels.at(-1) ?? '')) return 'special_use';
  if (labels.length === 1 && !isLocalName(hostname)) return 'single_label';
  return null;
}

/**
 * Returns a host in punycode and lower case as browsers normalize it (UTS 46), or null when it has no such
 * form.
 */
function toAscii(host: string): string | null {
  try {
    // Punycode is only validated in a name that is not all ASCII, so such a part is added to one that is.
    if (/xn--/i.test(host)) new URL(`http://${host.replace(/\.$/, '')}.é`);
    return new URL(`http://${host}`).hostname;
  } catch {
    return null;
  }
}
