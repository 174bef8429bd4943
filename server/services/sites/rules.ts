import { DAY_MS } from '#server/durations.ts';

/** Longest label of a hostname (RFC 1035), and therefore of a site name. */
export const SITE_NAME_MAX = 63;

/**
 * Returns the name as it appears in the address: lower-cased, only a-z, 0-9 and hyphen, no hyphen at either
 * end, at most 63 characters. Empty when nothing is left.
 */
export function sanitizeSiteName(typed: string): string {
  return typed
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, '')
    .replace(/^-+|(?<!-)-+$/g, '')
    .slice(0, SITE_NAME_MAX)
    .replace(/(?<!-)-+$/, '');
}

/** Returns a name without case and accents, for sorting and searching lists, so that `ete` finds `Été`. */
export function foldSiteName(name: string): string {
  return name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/**
 * Returns an address that reads like the name, for the create form to suggest when the sanitizing rule would
 * run words together and drop letters: accents are removed, and anything between two words becomes one
 * hyphen.
 */
export function readableSiteName(typed: string): string {
  const words = foldSiteName(typed)
    .replace(/['’]/g, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  return sanitizeSiteName(words.join('-'));
}

/** The rules by which an address can differ from the name: its letters, its ends, or its length. */
export type NameChange = 'characters' | 'ends' | 'length';

/**
 * Returns why the address differs from what was typed in lower case, for the create form to warn; null when it
 * does not.
 */
export function nameChangeOf(typed: string): NameChange | null {
  const lowered = typed.toLowerCase();
  if (sanitizeSiteName(typed) === lowered) return null;
  if (/[^a-z0-9-]/.test(lowered)) return 'characters';
  return lowered.replace(/^-+|(?<!-)-+$/g, '').length > SITE_NAME_MAX ? 'length' : 'ends';
}

/** Names that the platform keeps for itself or that people would mistake for it. */
const RESERVED_SITE_NAMES: ReadonlySet<string> = new Set([
  'abuse',
  'account',
  'admin',
  'administrator',
  'api',
  'app',
  'assets',
  'auth',
  'autoconfig',
  'autodiscover',
  'billing',
  'blog-admin',
  'cdn',
  'console',
  'dashboard',
  'dns',
  'docs',
  'edge',
  'ftp',
  'help',
  'host',
  'hostmaster',
  'identity',
  'imap',
  'localhost',
  'login',
  'mail',
  'mta-sts',
  'ns1',
  'ns2',
  'payment',
  'pop',
  'portage',
  'postmaster',
  'preview',
  'root',
  's3',
  'secure',
  'security',
  'sites',
  'smtp',
  'ssl',
  'static',
  'status',
  'storage',
  'support',
  'webmail',
  'webmaster',
  'wpad',
  'www',
]);

/**
 * Whether the name is reserved. `xn--` would be read as another script, and `--` separates a version from the
 * name in preview hostnames.
 */
export function isReservedSiteName(subdomain: string): boolean {
  return RESERVED_SITE_NAMES.has(subdomain) || subdomain.startsWith('xn--') || subdomain.includes('--');
}

/**
 * Returns an address close to the wanted one, with a number when `attempt` is above 1: `blog`, `blog-2`,
 * `blog-3`. It is never reserved and never too long for a label.
 */
export function suggestSiteName(wanted: string, attempt: number): string {
  const plain = wanted.replace(/^xn-+/, '').replace(/-{2,}/g, '-');
  const base = plain === '' || isReservedSiteName(plain) ? `${plain}-site`.replace(/^-/, '') : plain;
  const suffix = attempt > 1 ? `-${attempt}` : '';
  return `${base.slice(0, SITE_NAME_MAX - suffix.length).replace(/(?<!-)-+$/, '')}${suffix}`;
}

/** Whether endpoints lead to the site: it cannot be deleted then. */
export function isInUse(site: { endpoint_count: number }): boolean {
  return site.endpoint_count > 0;
}

/** How long a deleted site can be restored; its name stays taken until then. */
export const SITE_UNDO_MS = 7 * DAY_MS;

/** Whether a site deleted at `deletedAt` can still be restored. */
export function isRestorable(deletedAt: number, now: number): boolean {
  return now - deletedAt < SITE_UNDO_MS;
}

/** What a new site keeps of its versions: a number of the newest ones, and all of a number of days. */
export const DEFAULT_RETENTION = { keep_versions: 100, keep_days: 90 };

/** The maximum of either; a year of hourly deploys is below it. */
export const KEEP_VERSIONS_MAX = 10_000;
export const KEEP_DAYS_MAX = 3650;
