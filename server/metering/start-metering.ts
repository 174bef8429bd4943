import { join } from 'node:path';
import type { App } from '../context.ts';
import { createLogThrottle } from '../logging/log-throttle.ts';
import { applyUsageBatch } from '../services/usage/apply-usage-batch.ts';
import type { UsageBatch, UsageBatchRow } from '../services/usage/schema.ts';
import { ReserveFile } from '../store/room/reserve-file.ts';
import type { OpenFile } from '../store/spool.ts';
import { BatchSender, type SenderPace, senderPace } from './batch-sender.ts';
import { type PendingSeries, PendingUsage } from './pending-usage.ts';
import { spoolFolderOf } from './spool-folder.ts';
import { SpoolWriter } from './spool-writer.ts';
import { UsageCollector } from './usage-collector.ts';
import { type MeterOf, UsageMeters } from './usage-meters.ts';
import { showUsageFigures } from './usage-metrics.ts';
import { isCountable } from './usage-rows.ts';
import { type Backlog, UsageSpool } from './usage-spool.ts';

/** Counts what this process serves. */
export interface Metering {
  meterOf: MeterOf;
  /** What has been counted and not yet applied. */
  backlog(): Backlog;
  /** What has been counted here and not begun to be sent, by series. */
  pending(): readonly PendingSeries[];
  /** Whether some of what was counted here is on its way to the database. */
  isSending(): boolean;
  /** Sends what is left, or keeps it on the disk for the next start. */
  stop(): Promise<void>;
}

/** What tests set, and who else is notified. */
export interface MeteringOptions {
  /** Called with what was counted since the last collection. */
  onTaken?: (rows: readonly UsageBatchRow[]) => void;
  /** Where batches wait; in DATA_DIR by default. */
  folder?: string;
  /** Between two collections. */
  takeMs?: number;
  /** Longest wait for the database when the process ends. */
  stopMs?: number;
  /** The limit on disk space. */
  spoolBytesMax?: number;
  /** Reserved on the disk for when it is full. */
  reserveBytes?: number;
  pace?: Partial<SenderPace>;
  apply?: (batch: UsageBatch) => Promise<unknown>;
  openFile?: OpenFile;
  monotonic?: () => number;
}

const TAKE_MS = 2_000;
const STOP_MS = 5_000;
const SPOOL_BYTES_MAX = 256 * 1024 ** 2;
/** Enough for hours in which tens of thousands of hosts are visited. */
const RESERVE_BYTES = 8 * 1024 ** 2;
const OLD_BACKLOG_MS = 5 * 60_000;

/**
 * Starts counting. Every two seconds, and at the end of every hour, new counts go to the disk, then to the
 * database, then off the disk: a crash costs the last seconds, a database outage costs nothing, and nothing
 * is ever counted twice.
 */
export async function startMetering(app: App, options: MeteringOptions = {}): Promise<Metering> {
  const { clock, logger } = app;
  const { takeMs = TAKE_MS, monotonic = () => performance.now() } = options;
  const now = () => clock.now();
  const meters = new UsageMeters();
  const collector = new UsageCollector(meters, now);
  const folder = options.folder ?? spoolFolderOf(app.config);
  const spool = await UsageSpool.open({
    root: folder,
    ...{ logger, now, monotonic },
    bytesMax: options.spoolBytesMax ?? SPOOL_BYTES_MAX,
    reserve: new ReserveFile(join(folder, 'reserve'), options.reserveBytes ?? RESERVE_BYTES),
    ...(options.openFile && { openFile: options.openFile }),
  });
  const figures = showUsageFigures(app.metrics, () => ({
    ...{ backlog: spool.backlog, quarantine: spool.quarantinedCount, now: now() },
  }));
  const pending = new PendingUsage();
  let lossMark = spool.lossMark;
  const sender = new BatchSender({
    ...{ logger, monotonic },
    spool: {
      async next() {
        // The batch before this one has arrived, or was refused for good.
        pending.isSending = false;
        const frozen = await spool.next();
        if (frozen?.isOwn) pending.take(frozen.batch.rows);
        return frozen;
      },
    },
    apply: options.apply ?? ((batch) => applyUsageBatch(app, batch)),
    pace: { ...senderPace, ...options.pace },
    onApplied() {
      pending.isSending = false;
      figures.onApplied();
    },
    onFailed: figures.onFailed,
  });
  const mayLog = createLogThrottle(monotonic);
  const writer = new SpoolWriter(spool, { monotonic, takeMs, onWritten: () => sender.wake() });
  const warnOfBacklog = (): void => {
    const { since, ...backlog } = spool.backlog;
    if (since === null || now() - since < OLD_BACKLOG_MS || !mayLog('backlog')) return;
    logger.warn({ ...backlog, since: new Date(since) }, 'usage has waited for a while to be applied');
  };
  let timer: NodeJS.Timeout | undefined;
  const take = (): void => {
    const taken = collector.take();
    if (spool.lossMark !== lossMark) pending.clear();
    lossMark = spool.lossMark;
    pending.add(taken.rows.filter(isCountable));
    options.onTaken?.(taken.rows);
    spool.add(taken);
    writer.writeWhenDue();
    warnOfBacklog();
    schedule();
  };
  const schedule = (): void => {
    timer = setTimeout(take, collector.delay(takeMs)).unref();
  };
  schedule();

  return {
    meterOf: (series) => meters.meterOf(series),
    backlog: () => spool.backlog,
    pending: () => pending.list(),
    isSending: () => pending.isSending,
    async stop() {
      clearTimeout(timer);
      await writer.finish();
      spool.add(collector.take({ withPaths: true }));
      await spool.store();
      await sender.stop(options.stopMs ?? STOP_MS);
      const { batches, unwritten } = spool.backlog;
      if (unwritten > 0)
        logger.error({ batches: unwritten }, 'usage that neither the disk nor the database accepted is lost');
      else if (batches > 0) logger.warn({ batches }, 'usage is kept on the disk for the next start');
      await spool.close();
      figures.remove();
    },
  };
}
