import { Gauge } from 'prom-client';
import type { App } from '../context.ts';
import { readQueue } from '../services/operator/read-queues.ts';
import { QUEUE_NAMES } from '../services/operator/rules.ts';

/**
 * Adds metrics for what waits too long: queues, and certificates that should have been renewed. Read from the
 * database on each scrape.
 */
export function watchQueues(app: App): void {
  const { clock, db, logger, metrics } = app;
  watchOldest(app);
  const gauge = (name: string, help: string, read: () => Promise<number | null>) =>
    new Gauge({
      name,
      help,
      registers: [metrics],
      async collect() {
        try {
          const value = await read();
          if (value === null) this.remove();
          else this.set(value);
        } catch (error) {
          this.remove();
          logger.warn({ err: error, figure: name }, 'a metric cannot be read');
        }
      },
    });
  const secondsSince = (at: number) => Math.max(0, clock.now() - at) / 1000;

  gauge(
    'portage_mail_oldest_seconds',
    'Since when the oldest message waits to be sent; 0 when none does.',
    async () => {
      const row = await db
        .selectFrom('outgoing_mails')
        .select(({ fn }) => fn.min('created_at').as('oldest'))
        .where('next_attempt_at', 'is not', null)
        .executeTakeFirst();
      return row?.oldest == null ? 0 : secondsSince(Number(row.oldest));
    },
  );
  gauge(
    'portage_certificates_failing',
    'Certificates whose last attempt to issue or renew them failed.',
    async () => {
      const row = await db
        .selectFrom('certificate_bundles')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('failure_code', 'is not', null)
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    },
  );
  gauge(
    'portage_certificate_expires_seconds',
    'Until the first certificate expires that should have been renewed by now; absent when there is none.',
    async () => {
      const now = clock.now();
      const row = await db
        .selectFrom('certificate_bundles')
        .select(({ fn }) => fn.min('valid_until').as('first'))
        .where('renew_at', '<', now)
        .where('valid_until', '>', now)
        .executeTakeFirst();
      return row?.first == null ? null : (Number(row.first) - now) / 1000;
    },
  );
}

/** Since when the first item in each queue has been due. */
function watchOldest(app: App): void {
  const { clock, logger, metrics } = app;
  new Gauge({
    name: 'portage_queue_oldest_seconds',
    help: 'Since when the first in a queue has been due; 0 when none is.',
    labelNames: ['queue'],
    registers: [metrics],
    async collect() {
      for (const queue of QUEUE_NAMES) {
        try {
          const { oldest_at } = await readQueue(app, queue);
          this.set({ queue }, oldest_at === null ? 0 : (clock.now() - oldest_at) / 1000);
        } catch (error) {
          this.remove({ queue });
          logger.warn({ err: error, queue }, 'a metric cannot be read');
        }
      }
    },
  });
}
