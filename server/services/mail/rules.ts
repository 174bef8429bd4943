import { HOUR_MS, MINUTE_MS } from '#server/durations.ts';

const DELAY_MIN_MS = MINUTE_MS;
const DELAY_MAX_MS = 6 * HOUR_MS;
/** After this time a message is abandoned: the person who waited for it has asked again. */
export const MAIL_TRIED_FOR_MS = 24 * HOUR_MS;
/**
 * But not before so many attempts, of which there are more in that time. After days without power, or with a clock that
 * has gone ahead, the first attempt may come before the network is back.
 */
export const MAIL_ATTEMPTS_MIN = 8;
/** How long the record of a message is kept, without its content. */
export const MAIL_KEPT_MS = 30 * 24 * HOUR_MS;

/**
 * Returns how long to wait after the given number of failed attempts: one minute, doubled each time up to six
 * hours, randomly a fifth more or less (`random` from 0 to 1), so that messages that failed together are not
 * retried together.
 */
export function retryDelayMs(attempts: number, random: number): number {
  const delay = Math.min(DELAY_MAX_MS, DELAY_MIN_MS * 2 ** Math.max(0, attempts - 1));
  return Math.round(delay * (0.8 + 0.4 * random));
}

/** A failed attempt, as the mail library reports it. */
export interface DeliveryError {
  code?: string | undefined;
  /** The SMTP command that failed. */
  command?: string | undefined;
  responseCode?: number | undefined;
  response?: string | undefined;
}

/**
 * `refused`: the server will never accept this message. `deferred`: not now. `away`: the server itself cannot
 * be used, so no other message has a chance either.
 */
export type DeliveryVerdict = 'refused' | 'deferred' | 'away';

/** Classifies a failed attempt. A refusal of ourselves (sign-in, sender) is not a refusal of the message. */
export function judgeDelivery({ code, command, responseCode }: DeliveryError): DeliveryVerdict {
  const isAboutMessage = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (!isAboutMessage || responseCode === 421) return 'away';
  // Without a reply of the server, the library itself found nothing that could be sent.
  if (responseCode === undefined) return 'refused';
  const isPermanent = responseCode >= 500 && responseCode !== 503;
  return isPermanent && (command === 'RCPT TO' || command === 'DATA') ? 'refused' : 'deferred';
}

const REASON_LENGTH_MAX = 200;

/**
 * Describes a failed attempt briefly, for logs and the record. Servers like to repeat what they refuse:
 * addresses, links and anything long enough to be a secret are left out.
 */
export function describeDelivery({ code, command, responseCode, response }: DeliveryError): string {
  const said = (response ?? '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/^\d{3}[ -]/, '')
    .split(' ')
    .map((word) => (/@|:\/\/|www\./i.test(word) ? '…' : word))
    .join(' ')
    .replace(/[\w+/=-]{20,}/g, '…');
  const parts = [String(responseCode ?? code ?? 'no answer'), command ?? '', said.trim()];
  return parts
    .filter((part) => part !== '')
    .join(' ')
    .slice(0, REASON_LENGTH_MAX);
}
