import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#server/durations.ts';
/** The events of an organization that webhooks can receive. */
export const WEBHOOK_EVENTS = [
  'deploy.published',
  'deploy.rolled_back',
  'certificate.issued',
  'certificate.failed',
  'certificate.expiring',
  'limit.reached',
  'invoice.issued',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.credited',
  'invoice.voided',
  'invoice.refunded',
  'invoice.disputed',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Sent on request, to check whether a webhook works. */
export const TEST_EVENT = 'webhook.test';

/** Per organization. */
export const WEBHOOKS_MAX = 10;
/** Messages that one webhook can have waiting. Further events are counted and not kept. */
export const WAITING_MAX = 1_000;
/** Attempts that are kept for one message, newest first: it can be redelivered any number of times. */
export const ATTEMPTS_KEPT = 30;
/** Messages that are kept for one webhook besides those that wait, newest first. */
export const MESSAGES_KEPT = 10_000;
/** How long messages and their attempts are kept. */
export const MESSAGES_KEPT_MS = 30 * 24 * 3_600_000;
/** How long the previous secret signs as well after a rotation. */
export const FORMER_SECRET_MS = 24 * 3_600_000;
/** A webhook that nothing has reached for this long is paused when the next message fails for good. */
const PAUSED_AFTER_MS = 3 * 24 * 3_600_000;

/** Why an attempt does not count as delivered. */
export const DELIVERY_PROBLEMS = [
  'name_unknown',
  'address_refused',
  'connection_failed',
  'certificate_refused',
  'timeout',
  'redirected',
  'status',
  'paused',
] as const;
export type DeliveryProblem = (typeof DELIVERY_PROBLEMS)[number];

const PAUSES_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
];

/** Automatic attempts to deliver one message. */
export const ATTEMPTS_MAX = PAUSES_MS.length + 1;

/** Pauses are longer by up to this share: what failed at the same moment is not sent again at the same moment. */
const PAUSE_SPREAD = 0.1;

/**
 * Returns how long to wait after the given number of failed attempts; null when that was the last one.
 * @param chance from 0 to 1
 */
export function retryPauseMs(attempts: number, chance: number): number | null {
  const pause = PAUSES_MS[attempts - 1];
  return pause === undefined ? null : Math.round(pause * (1 + PAUSE_SPREAD * chance));
}

/**
 * Whether a failed attempt pauses its webhook. One failure after quiet days says little about the receiver, so the
 * message must have failed in all its attempts.
 * @param isLast whether the message is not sent again
 * @param failingSince the first failure since the last success
 */
export function isPausedBy(isLast: boolean, failingSince: number, now: number): boolean {
  return isLast && now - failingSince >= PAUSED_AFTER_MS;
}
