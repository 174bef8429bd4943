import { Gauge, type Registry } from 'prom-client';
import type { App } from '../context.ts';
import { countStuckWork } from '../services/stuck-work/count-stuck-work.ts';

/** Adds a gauge of the items that jobs have set aside after failures. It is read from the database, so any node with a console tells it. */
export function watchStuckWork({ db, logger }: App, registry: Registry): void {
  new Gauge({
    name: 'portage_stuck_work',
    help: 'Pieces of work that a job could not do and that wait for their next attempt.',
    labelNames: ['job'],
    registers: [registry],
    async collect() {
      this.reset();
      try {
        for (const { job, count } of await countStuckWork(db)) this.set({ job }, count);
      } catch (error) {
        logger.warn({ err: error }, 'stuck work cannot be counted');
      }
    },
  });
}
