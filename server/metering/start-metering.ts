import { hostname } from 'node:os';
import type { App } from '../context.ts';
import { newId } from '../ids.ts';
import { repeat } from '../jobs/repeat.ts';
import { applyUsageBatch } from '../services/usage/apply-usage-batch.ts';
import { hourOf } from '../services/usage/rules.ts';
import { type MeterOf, UsageMeters } from './usage-meters.ts';

/** Counts what this process serves. */
export interface Metering {
  meterOf: MeterOf;
  /** Sends what is left, or keeps it on disk for the next start. */
  stop(): Promise<void>;
}

const FLUSH_MS = 2_000;

/** Starts counting, and sending what was counted every two seconds. */
export function startMetering(app: App): Metering {
  const meters = new UsageMeters();
  const bootId = newId();
  let sequence = 0;
  const flush = async () => {
    const rows = meters.take();
    if (rows.length === 0) return;
    sequence += 1;
    const hour = hourOf(app.clock.now());
    await applyUsageBatch(app, { node_id: hostname(), boot_id: bootId, sequence, hour, rows });
  };
  const flushing = repeat(FLUSH_MS, flush, (error) => app.logger.error({ err: error }, 'usage was not sent'));
  return {
    meterOf: (series) => meters.meterOf(series),
    async stop() {
      await flushing.stop();
      await flush();
    },
  };
}
