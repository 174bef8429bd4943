import { Counter, Gauge, type Registry } from 'prom-client';
import type { Backlog } from './usage-spool.ts';

/** Counts what becomes of batches, for Prometheus. */
export interface UsageFigures {
  onApplied(): void;
  onFailed(): void;
  /** Removes the metrics from the registry. */
  remove(): void;
}

/** Adds waiting and applied usage to the metrics of the process. */
export function showUsageFigures(
  registry: Registry,
  read: () => { backlog: Backlog; quarantine: number; now: number },
): UsageFigures {
  const registers = [registry];
  const names: string[] = [];
  const gauge = (name: string, help: string, value: () => number) => {
    names.push(name);
    return new Gauge({
      ...{ name, help, registers },
      collect() {
        this.set(value());
      },
    });
  };
  const counter = (name: string, help: string) => {
    names.push(name);
    return new Counter({ name, help, registers });
  };
  gauge(
    'portage_usage_batches_waiting',
    'Usage batches waiting to be applied to the database.',
    () => read().backlog.batches,
  );
  gauge('portage_usage_bytes_waiting', 'Bytes of usage batches on the disk.', () => read().backlog.bytes);
  gauge(
    'portage_usage_batches_in_memory',
    'Usage waiting in memory because the disk refused it.',
    () => read().backlog.unwritten,
  );
  gauge('portage_usage_oldest_seconds', 'Age of the oldest waiting usage, in seconds.', () => {
    const { backlog, now } = read();
    return backlog.since === null ? 0 : Math.max(0, (now - backlog.since) / 1000);
  });
  gauge(
    'portage_usage_batches_quarantined',
    'Usage batches and invalid rows quarantined since the start because they could not be read or applied.',
    () => read().quarantine,
  );
  const applied = counter('portage_usage_batches_applied_total', 'Usage batches applied to the database.');
  const failed = counter(
    'portage_usage_attempts_failed_total',
    'Attempts to apply a usage batch that failed.',
  );
  return {
    onApplied: () => applied.inc(),
    onFailed: () => failed.inc(),
    remove: () => {
      for (const name of names) registry.removeSingleMetric(name);
    },
  };
}
