import { Gauge, type Registry } from 'prom-client';
import type { App } from '../context.ts';
import { countStuckWork } from '../services/stuck-work/count-stuck-work.ts';

/**
 * Adds to the metrics how much work jobs have given up after failures, and since when. It is read from the
 * database, so any node with a console provides it.
 */
export function watchStuckWork({ clock, db, logger }: App, registry: Registry): void {
  const oldest = new Gauge({
    name: 'portage_stuck_work_oldest_seconds',
    help: 'Since when the first piece of stuck work has failed.',
    labelNames: ['job'],
    registers: [registry],
  });
  new Gauge({
    name: 'portage_stuck_work',
    help: 'Pieces of work that a job could not do and that are waiting for their next attempt.',
    labelNames: ['job'],
    registers: [registry],
    async collect() {
      this.reset();
      oldest.reset();
      try {
        for (const { job, count, since } of await countStuckWork(db)) {
          this.set({ job }, count);
          oldest.set({ job }, (clock.now() - since) / 1000);
        }
      } catch (error) {
        logger.warn({ err: error }, 'stuck work cannot be counted');
      }
    },
  });
}
