import { DAY_MS } from '#server/durations.ts';

/** What a report can be about; the console has its own text for each. */
export const ABUSE_KINDS = ['phishing', 'malware', 'illegal', 'copyright', 'spam', 'other'] as const;
export type AbuseKind = (typeof ABUSE_KINDS)[number];

export const ADDRESS_LENGTH_MAX = 2000;
export const DESCRIPTION_LENGTH_MAX = 5000;

/** In a list of reports: waiting for a decision, or decided. */
export const REPORT_STATES = ['open', 'closed'] as const;

/** No more are accepted while this many wait for a decision, because people could not read them all. */
export const OPEN_REPORTS_MAX = 10_000;

/** Decided reports are kept this long for later questions. */
export const REPORTS_KEPT_MS = 365 * DAY_MS;

/**
 * Returns the address of a page as a person types or pastes it, or null for anything else: without a scheme
 * it is https, and a user name is removed.
 */
export function readReportedAddress(typed: string): URL | null {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null;
  if (!url.hostname.includes('.') && url.hostname !== 'localhost') return null;
  url.username = '';
  url.password = '';
  return url;
}
