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
}

// The SDK starts checking a silent connection three seconds late, so an upload without a response ends after
// 13.
export const S3_BOUNDS: S3Bounds = { connectMs: 3_000, silenceMs: 10_000, questionMs: 12_000 };
const ATTEMPTS = 3;
const REPEAT_AFTER_MS = 100;
/**
 * A small call is only retried when it failed early; a large body that was being sent is worth retrying
 * later, too.
 */
export const REPEAT_WITHIN_MS = 2_000;

/**
 * Passes a body on; an engine that sends nothing for too long, while more is requested, has broken it off.
 */
export function unlessSilent(body: Readable, silenceMs: number): Readable {
  let timer: NodeJS.Timeout | undefined;
  const rest = () => clearTimeout(timer);
  const want = () => {
    rest();
    timer = setTimeout(() => passed.destroy(silence()), silenceMs);
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
  return Object.assign(new Error('the S3 engine stopped in the middle of a body'), { name: 'TimeoutError' });
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
