import { collectDefaultMetrics, type Registry } from 'prom-client';

/** How often the event loop's delay is sampled. At the default of 10 ms the idle processes wake 700 times a second. */
const LOOP_DELAY_EVERY_MS = 100;

/** Adds what Node reports about its process: memory, processor time, event loop, garbage collection. */
export function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_DELAY_EVERY_MS });
}
