/** What a report can be about; the console has words for each. */
export const ABUSE_KINDS = ['phishing', 'malware', 'illegal', 'copyright', 'spam', 'other'] as const;
export type AbuseKind = (typeof ABUSE_KINDS)[number];

export const ADDRESS_LENGTH_MAX = 2000;
export const DESCRIPTION_LENGTH_MAX = 5000;

/** In a list of reports: what waits for a decision, and what has one. */
export const REPORT_STATES = ['open', 'closed'] as const;

/** While so many wait for a decision, no more are taken: nobody could read them. */
export const OPEN_REPORTS_MAX = 10_000;

/** Reports that were decided are kept this long, for whoever asks about one later. */
export const REPORTS_KEPT_MS = 365 * 24 * 60 * 60 * 1000;

/**
 * Returns the address of a page as a person types or pastes it, or null for what is none: without a scheme it is https, and
 * what names a user is left out.
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
