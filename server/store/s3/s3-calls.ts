import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { S3ServiceException } from '@aws-sdk/client-s3';
import { AppError } from '#server/errors.ts';

/** Timeouts for an engine. A call that times out is not retried: the caller has waited long enough. */
export interface S3Bounds {
  connectMs: number;
  /**
   * Without progress for this long the engine is considered down; a large body may take its time as long as
   * it progresses.
   */
  silenceMs: number;
  /** Of a call without a body, including retries. */
  questionMs: number;
  /** The slowest transfer that is not broken off. */
  slowest: Pace;
}

/** At least this many bytes in this time, of which only the time counts in which more are awaited. */
export interface Pace {
  bytes: number;
  inMs: number;
}

// The SDK starts checking a silent connection three seconds late, so an upload without a response ends after
// 13.
export const S3_BOUNDS: S3Bounds = {
  connectMs: 3_000,
  silenceMs: 10_000,
  questionMs: 12_000,
  slowest: { bytes: 16 * 1024, inMs: 15_000 },
};
/** The longest time that a timer can wait. */
const TIMER_MS_MAX = 2 ** 31 - 1;
const ATTEMPTS = 3;
const REPEAT_AFTER_MS = 100;
/**
 * A small call is only retried when it failed early; a large body that was being sent is worth retrying
 * later, too.
 */
export const REPEAT_WITHIN_MS = 2_000;

/** Returns how long an upload of this size may take, up to the end of its response. */
export function uploadMs(size: number, { questionMs, slowest }: S3Bounds): number {
  return Math.min(questionMs + Math.ceil((size * slowest.inMs) / slowest.bytes), TIMER_MS_MAX);
}

/**
 * Passes a body on; an engine that sends nothing for too long, or next to nothing, while more is requested, has
 * broken it off. The time that the reader takes does not count.
 */
export function unlessSilent(
  body: Readable,
  { silenceMs, slowest }: Pick<S3Bounds, 'silenceMs' | 'slowest'>,
): Readable {
  let timer: NodeJS.Timeout | undefined;
  let wantedAt: number | null = null;
  const window = { waitedMs: 0, bytes: 0 };
  const rest = () => {
    clearTimeout(timer);
    wantedAt = null;
  };
  const want = () => {
    clearTimeout(timer);
    wantedAt ??= performance.now();
    timer = setTimeout(() => passed.destroy(silence()), silenceMs);
  };
  /** Whether the bytes that came while they were awaited are too few for the time that passed. */
  const isTooSlow = (bytes: number): boolean => {
    const now = performance.now();
    window.waitedMs += wantedAt === null ? 0 : now - wantedAt;
    window.bytes += bytes;
    wantedAt = null;
    if (window.waitedMs < slowest.inMs) return false;
    const isBelow = window.bytes < slowest.bytes;
    window.waitedMs = 0;
    window.bytes = 0;
    return isBelow;
  };
  const passed = new Readable({
    read() {
      want();
      body.resume();
    },
    destroy(error, done) {
      rest();
      body.destroy();
      done(error);
    },
  });
  body.pause();
  body.on('data', (chunk: Buffer) => {
    if (isTooSlow(chunk.byteLength)) return passed.destroy(silence());
    if (passed.push(chunk)) return want();
    rest();
    body.pause();
  });
  body.on('end', () => {
    rest();
    passed.push(null);
  });
  body.on('error', (error) => passed.destroy(error));
  body.on('close', () => {
    if (!body.readableEnded) passed.destroy(silence());
  });
  return passed;
}

function silence(): Error {
  return Object.assign(new Error('the S3 engine stopped or slowed down in the middle of a body'), {
    name: 'TimeoutError',
  });
}

/** Makes a call up to three times, as long as its error is transient and it began recently. */
export async function repeat<T>(call: () => Promise<T>, withinMs: number): Promise<T> {
  const startedAt = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      const isOver = attempt >= ATTEMPTS || performance.now() - startedAt > withinMs;
      if (isOver || !isTransient(error) || isSilence(error)) throw error;
      await sleep(REPEAT_AFTER_MS * 2 ** attempt);
    }
  }
}

function isSilence(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
}

/** Whether the same upload may succeed a moment later: the engine failed, or the connection did. */
export function isTransient(error: unknown): boolean {
  if (error instanceof AppError) return false;
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  return status === undefined || status >= 500 || status === 429;
}
