import { isRenewalDue } from '../issuing/renewal-rules.ts';
import type { DnsFact, DnsReport } from '../schema.ts';

/** What is known about a bundle before an inspection; times in epoch milliseconds. */
export interface KnownBundle {
  dns_validated_at: number | null;
  dns_challenge_validated_at: number | null;
  dns_problem_since: number | null;
  issued_at: number | null;
  valid_until: number | null;
  renew_at: number | null;
  next_issue_at: number | null;
  failure_code: string | null;
}

type Changes = Pick<
  KnownBundle,
  'dns_validated_at' | 'dns_challenge_validated_at' | 'dns_problem_since' | 'next_issue_at'
>;

/** Failures that end when a record becomes correct: then there is no need to wait for the next attempt. */
const WAITING_FOR_RECORDS: ReadonlySet<string | null> = new Set(['challenge_missing', 'caa_forbids']);
/** Failures unrelated to the records: the authority has said when to come back. */
const WAITING_FOR_AUTHORITY: ReadonlySet<string | null> = new Set([
  'authority_limit',
  'authority_unavailable',
]);

/** Returns the columns of a bundle after an inspection. What could not be looked up stays as it was. */
export function changesOfInspection(bundle: KnownBundle, report: DnsReport, now: number): Changes {
  return {
    dns_validated_at: report.is_reached ? (bundle.dns_validated_at ?? now) : null,
    dns_challenge_validated_at: report.is_delegated ? (bundle.dns_challenge_validated_at ?? now) : null,
    dns_problem_since: problemSince(bundle, report, now),
    next_issue_at: nextIssueAt(bundle, report, now),
  };
}

/**
 * Since when a renewal would fail because of a record that the customer once had right, or since when neither
 * record leads here any more; an error of our own zone does not count.
 */
function problemSince(bundle: KnownBundle, report: DnsReport, now: number): number | null {
  const caa = factOf(report, 'caa');
  const challenge = factOf(report, 'challenge');
  const wasRight = bundle.dns_challenge_validated_at !== null || bundle.dns_problem_since !== null;
  // A customer who never wanted a certificate has lost nothing while the hostname reaches us.
  const isBack = report.is_reached && bundle.dns_validated_at === null && bundle.issued_at === null;
  const isLost = !report.is_delegated && wasRight && !isBack;
  const isGone = !report.is_delegated && !report.is_reached && bundle.dns_validated_at !== null;
  const isForbidden = caa?.status === 'wrong' && bundle.issued_at !== null;
  if (isLost || isGone || isForbidden) return bundle.dns_problem_since ?? now;
  const isAnswered = caa?.status !== 'unknown' && challenge?.status !== 'unknown';
  return isAnswered ? null : bundle.dns_problem_since;
}

/**
 * When issuing begins: immediately when the records have just become correct, or when an attempt waits only
 * for them, and there is no certificate or its renewal is due. Otherwise as planned before.
 */
function nextIssueAt(bundle: KnownBundle, report: DnsReport, now: number): number | null {
  const { next_issue_at, failure_code, valid_until, renew_at } = bundle;
  const isIssuable =
    factOf(report, 'challenge')?.status === 'ok' && factOf(report, 'caa')?.status !== 'wrong';
  if (!isIssuable || (next_issue_at !== null && next_issue_at <= now)) return next_issue_at;
  const isNeeded = valid_until === null || valid_until <= now || isRenewalDue(renew_at, now);
  if (!isNeeded || WAITING_FOR_AUTHORITY.has(failure_code)) return next_issue_at;
  const standsNow = bundle.dns_challenge_validated_at === null;
  const isForgotten = next_issue_at === null && failure_code === null;
  return standsNow || isForgotten || WAITING_FOR_RECORDS.has(failure_code) ? now : next_issue_at;
}

/** Returns one fact of a report; names of the platform have no traffic of their own. */
export function factOf(report: DnsReport, name: DnsFact['fact']): DnsFact | undefined {
  return report.facts.find(({ fact }) => fact === name);
}
