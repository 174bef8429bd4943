import type { Registry } from 'prom-client';
import { MINUTE_MS } from '../durations.ts';
import type { ErrorCode } from '../error-codes.ts';
import { isNodeError, toAppError } from '../errors.ts';
import { sharedCounter } from '../metrics/shared-metrics.ts';
import type { Logger } from './logger.ts';

/**
 * The part of the program in which an unexpected error surfaces; `process` is what nothing else caught. Lines
 * and metrics name it `door`.
 */
export type LogSource = 'edge' | 's3' | 'dns' | 'outgoing' | 'process';

/**
 * The part of the logger that an engine uses, rate-limited: a stranger who can cause an error can cause it a
 * million times.
 */
export interface BoundedLog {
  warn(details: object, message: string): void;
  /** Also counts the error in the metrics, unless its `err` is a failure that other figures report. */
  error(details: object, message: string): void;
}

/** Failures that are no fault of the program: `/readyz`, the disk's figures and the list of stuck work report them. */
const REPORTED_ELSEWHERE: ReadonlySet<ErrorCode> = new Set(['service_unavailable', 'storage_full']);
/** The code by which the engines tell of stored content that is missing or damaged. */
const LOST_CONTENT = 'CONTENT_LOST';

/** Lines of one part per minute; more are only counted. */
const LINES_PER_MINUTE = 60;

/** Returns the log of one part. Every fault counts in `portage_unexpected_errors_total`, logged or not. */
export function createBoundedLog(
  logger: Pick<Logger, 'warn' | 'error'>,
  registry: Registry,
  source: LogSource,
  now: () => number,
): BoundedLog {
  const errors = sharedCounter(registry, {
    name: 'portage_unexpected_errors_total',
    help: 'Unexpected errors; each ended one request or connection and nothing else.',
    labelNames: ['door'],
  });
  let minute = 0;
  let lines = 0;
  const write = (level: 'warn' | 'error', details: object, message: string): void => {
    const current = Math.floor(now() / MINUTE_MS);
    if (current !== minute) {
      const unlogged = lines - LINES_PER_MINUTE;
      if (unlogged > 0)
        logger.warn({ door: source, unlogged }, 'more errors happened in that minute than were logged');
      minute = current;
      lines = 0;
    }
    lines += 1;
    if (lines <= LINES_PER_MINUTE) logger[level]({ door: source, ...details }, message);
  };
  return {
    warn: (details, message) => write('warn', details, message),
    error(details, message) {
      // What nothing else caught is a fault of the program, whatever it was.
      if (source === 'process' || !isReportedElsewhere(details)) errors.inc({ door: source });
      write('error', details, message);
    },
  };
}

function isReportedElsewhere(details: object): boolean {
  const error: unknown = 'err' in details ? details.err : undefined;
  if (isNodeError(error) && error.code === LOST_CONTENT) return true;
  return REPORTED_ELSEWHERE.has(toAppError(error).code);
}
