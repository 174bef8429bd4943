import { Counter, Histogram, Registry } from 'prom-client';
import { addProcessMetrics } from './process-metrics.ts';

/** The process's own Prometheus metrics, including those of its console. */
export interface ConsoleMetrics {
  registry: Registry;
  /** Seconds from a console request's arrival to the end of its response, by kind of path and status class. */
  observeRequest(kind: string, status: number, seconds: number): void;
  /** Counts a connection that was cut because its client hardly sent its body, or hardly read its response. */
  countCut(awaited: 'sending' | 'taking'): void;
}

/** Adds the metrics of the process and of its console to a registry. */
export function createConsoleMetrics(registry: Registry = new Registry()): ConsoleMetrics {
  addProcessMetrics(registry);
  const requests = new Histogram({
    name: 'portage_console_request_seconds',
    help: 'Duration of console requests in seconds.',
    labelNames: ['kind', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const cut = new Counter({
    name: 'portage_console_slow_clients_cut_total',
    help: 'Connections cut because the client hardly sent its body or hardly read its answer.',
    labelNames: ['awaited'],
    registers: [registry],
  });
  return {
    registry,
    countCut: (awaited) => cut.inc({ awaited }),
    observeRequest: (kind, status, seconds) =>
      requests.observe({ kind, status: `${Math.floor(status / 100)}xx` }, seconds),
  };
}
