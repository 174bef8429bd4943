import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '../durations.ts';
import type { ErrorCode } from '../error-codes.ts';
import { toAppError } from '../errors.ts';

/** The message of what hit an outage; it is not a defect of ours. */
export const OUTAGE_MESSAGE = 'a dependency of this service is not responding';

/** The part of the logger that is used here. */
interface OutageLogger {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Failures of every request whose cause is outside this program, and remains until it is removed there. */
const OUTAGE_CODES: ReadonlySet<ErrorCode> = new Set(['service_unavailable', 'storage_full']);
/** The message of what a full disk of the database has refused. */
export const FULL_MESSAGE = 'the disk of the database is full';

/** Of one problem. */
interface Told {
  /** Milliseconds of `performance.now`. */
  at: number;
  /** How often it has happened since then. */
  unlogged: number;
}

/** An outage has a handful of reasons, such as a refused connection and a server that is starting. */
const REASONS_MAX = 100;
const toldOf = new WeakMap<OutageLogger, LRUCache<string, Told>>();

/**
 * Logs a failure, and one by an outage at most once a minute for each reason: during an outage every request and
 * every job fails, and the log would hide what began it. `unlogged` says how often it has happened in between.
 */
export function logOutage(
  logger: OutageLogger,
  level: 'warn' | 'error',
  details: { err: unknown; [name: string]: unknown },
  message = OUTAGE_MESSAGE,
): void {
  if (!OUTAGE_CODES.has(toAppError(details.err).code)) {
    logger[level](details, message);
    return;
  }
  let told = toldOf.get(logger);
  if (told === undefined) {
    told = new LRUCache({ max: REASONS_MAX });
    toldOf.set(logger, told);
  }
  const subject = `${message} ${reasonOf(details.err)}`;
  const last = told.get(subject);
  const now = performance.now();
  if (last !== undefined && now - last.at < MINUTE_MS) {
    last.unlogged += 1;
    return;
  }
  told.set(subject, { at: now, unlogged: 0 });
  const { unlogged = 0 } = last ?? {};
  logger[level]({ ...details, ...(unlogged > 0 && { unlogged }) }, message);
}

/** Whether the disk of a PostgreSQL server is full; those of this machine have their own watch. */
export function isDatabaseFull(error: unknown): boolean {
  return error instanceof Error && reasonOf(error) === '53100';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
