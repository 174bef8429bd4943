import { DAY_MS, HOUR_MS, SECOND_MS } from '#server/durations.ts';

const FIRST_MS = 10 * SECOND_MS;
/** The platform's own name: no page polls it, and there is only one. */
const PLATFORM_MS = 300_000;
/** A customer who has just set a record is waiting; one who has not for a month may wait a day longer. */
const EAGER_FOR_MS = 30 * DAY_MS;

/** What the time of the next inspection depends on; times in epoch milliseconds. */
export interface ScheduledBundle {
  created_at: number;
  issued_at: number | null;
  dns_problem_since: number | null;
  /** Null for names of the platform. */
  endpoint_id: string | null;
  /** The hostname reaches us, the challenge record is in place, and CAA allows issuing. */
  isRight: boolean;
  /** A record could not be looked up. */
  isUnanswered: boolean;
}

/**
 * Returns when the records are inspected next. When everything is correct and the certificate is there: once
 * a day. Otherwise after a tenth of the time since that changed, from ten seconds to an hour; after a month
 * once a day. The platform's own name never waits more than minutes.
 * @param random from 0 to 1, so that bundles created together are not always inspected together
 */
export function nextInspectionAt(bundle: ScheduledBundle, now: number, random: number): number {
  const { created_at, issued_at, dns_problem_since, isRight, isUnanswered } = bundle;
  const since = Math.max(created_at, issued_at ?? 0, dns_problem_since ?? 0);
  const age = Math.max(0, now - since);
  const isSettled = isRight && issued_at !== null;
  const isPlatform = bundle.endpoint_id === null;
  const isQuiet = isSettled || (age > EAGER_FOR_MS && !isPlatform);
  const eager = Math.min(Math.max(FIRST_MS, age / 10), isPlatform ? PLATFORM_MS : HOUR_MS);
  const delay = isQuiet ? (isUnanswered ? HOUR_MS : DAY_MS) : eager;
  return Math.round(now + delay * (0.8 + 0.4 * random));
}
