import { z } from 'zod';
import { isNodeError } from '../errors.ts';
import { createLogThrottle } from '../logging/log-throttle.ts';
import type { Logger } from '../logging/logger.ts';
import type { UsageBatch } from '../services/usage/schema.ts';
import type { FrozenBatch, UsageSpool } from './usage-spool.ts';

/** How fast batches are sent. */
export interface SenderPace {
  /** The first pause after a failure; each further pause is twice as long. */
  retryMs: number;
  retryMsMax: number;
  /**
   * The sender stops waiting for an attempt that takes longer; the cursor refuses whatever it may still
   * write.
   */
  attemptMs: number;
  /**
   * After a batch, the database rests for this many times as long as the batch took, while the next ones grow
   * larger.
   */
  restFactor: number;
}

export const senderPace: SenderPace = {
  retryMs: 1_000,
  retryMsMax: 30_000,
  attemptMs: 60_000,
  restFactor: 10,
};

/** Attempts that may be unanswered at the same time: each holds a connection that others need. */
const UNANSWERED_MAX = 2;
/** Between attempts while the process is ending. */
const LAST_RETRY_MS = 250;

export interface SenderParts {
  spool: Pick<UsageSpool, 'next'>;
  /** Adds a batch to the database; repeating it has no effect. */
  apply(batch: UsageBatch): Promise<unknown>;
  logger: Logger;
  monotonic: () => number;
  pace: SenderPace;
  onApplied(): void;
  onFailed(): void;
}

/** Sends what waits in the spool, one batch at a time and in order, for as long as it takes. */
export class BatchSender {
  private readonly parts: SenderParts;
  private readonly mayLog: (subject: string) => boolean;
  private readonly running: Promise<void>;
  private unanswered = 0;
  private isStopping = false;
  private isOver = false;
  private isIdle = false;
  private endPause: () => void = () => undefined;

  constructor(parts: SenderParts) {
    this.parts = parts;
    this.mayLog = createLogThrottle(parts.monotonic);
    this.running = this.run();
  }

  /** There may be more to send. This does not shorten the pause after a failure. */
  wake(): void {
    if (this.isIdle) this.endPause();
  }

  /** Sends what waits, for at most this long; the rest is left for the next start. */
  async stop(graceMs: number): Promise<void> {
    this.isStopping = true;
    this.endPause();
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([this.running, grace]);
    clearTimeout(timer);
    this.isOver = true;
    this.endPause();
  }

  private async run(): Promise<void> {
    while (!this.isOver) {
      const frozen = await this.parts.spool.next();
      if (frozen !== null) await this.sendUntilDone(frozen);
      else if (this.isStopping) return;
      else {
        this.isIdle = true;
        await this.pause(Number.POSITIVE_INFINITY);
        this.isIdle = false;
      }
    }
  }

  /** Sends one batch until it is applied, or refused because of its content. */
  private async sendUntilDone(frozen: FrozenBatch): Promise<void> {
    const { apply, pace, monotonic } = this.parts;
    let retryMs = pace.retryMs;
    let { batch } = frozen;
    while (!this.isOver) {
      const startedAt = monotonic();
      try {
        await this.attempt(() => apply(batch));
        this.parts.onApplied();
        await frozen.release();
        await this.pause(Math.min((monotonic() - startedAt) * pace.restFactor, pace.retryMsMax));
        return;
      } catch (error) {
        this.parts.onFailed();
        const isRefused = isFaultOfData(error);
        const hasPaths = batch.rows.some((row) => row.paths.length > 0);
        if (isRefused && !hasPaths) return frozen.quarantine(`the database refuses it: ${messageOf(error)}`);
        if (isRefused) {
          // Files are only statistics; the counts are what matters.
          batch = { ...batch, rows: batch.rows.map((row) => ({ ...row, paths: [] })) };
          continue;
        }
        if (this.mayLog('failure')) {
          this.parts.logger.warn(
            { err: error },
            'usage cannot be sent to the database now; it will be sent later',
          );
        }
        await this.pause(this.isStopping ? LAST_RETRY_MS : retryMs);
        retryMs = Math.min(retryMs * 2, pace.retryMsMax);
      }
    }
  }

  private async attempt(apply: () => Promise<unknown>): Promise<void> {
    if (this.unanswered >= UNANSWERED_MAX) throw new Error('the database has not answered earlier attempts');
    this.unanswered += 1;
    const answered = apply().finally(() => {
      this.unanswered -= 1;
    });
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      const fail = () => reject(new Error('the database did not answer in time'));
      timer = setTimeout(fail, this.parts.pace.attemptMs).unref();
    });
    try {
      await Promise.race([answered, limit]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async pause(ms: number): Promise<void> {
    if (this.isOver || (this.isStopping && ms !== LAST_RETRY_MS)) return;
    await new Promise<void>((resolve) => {
      const timer = Number.isFinite(ms) ? setTimeout(resolve, ms).unref() : undefined;
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Another process reports that the database can never accept a batch. */
export class RefusedUsageError extends Error {
  override name = 'RefusedUsageError';
}

/** Values that no column can hold, or more than the database accepts: the same batch would always fail. */
export function isFaultOfData(error: unknown): boolean {
  if (error instanceof z.ZodError || error instanceof RefusedUsageError) return true;
  if (!isNodeError(error)) return false;
  return /^(22|54)...$|^SQLITE_(MISMATCH|TOOBIG)/.test(error.code ?? '');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
