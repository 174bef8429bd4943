import { Gauge } from 'prom-client';
import type { App } from '../context.ts';

/** Adds what waits too long: queues, and certificates that should have been renewed. Asked of the database with each scrape. */
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
          logger.warn({ err: error, figure: name }, 'a figure cannot be read');
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

/** Since when the first in each queue has been due; all are read by an index. */
function watchOldest({ clock, db, logger, metrics }: App): void {
  const queues: Record<string, () => Promise<number | string | null | undefined>> = {
    certificates: async () =>
      (
        await db
          .selectFrom('certificate_bundles')
          .select(({ fn }) => fn.min('next_issue_at').as('oldest'))
          .executeTakeFirst()
      )?.oldest,
    encoded_copies: async () =>
      (
        await db
          .selectFrom('site_versions')
          .select(({ fn }) => fn.min('sealed_at').as('oldest'))
          .where('sealed_at', 'is not', null)
          .where('encoded_at', 'is', null)
          .where('removed_at', 'is', null)
          .executeTakeFirst()
      )?.oldest,
    payment_events: async () =>
      (
        await db
          .selectFrom('webhook_events')
          .select(({ fn }) => fn.min('received_at').as('oldest'))
          .where('next_attempt_at', 'is not', null)
          .executeTakeFirst()
      )?.oldest,
    webhooks: async () =>
      (
        await db
          .selectFrom('webhook_messages')
          .select(({ fn }) => fn.min('next_attempt_at').as('oldest'))
          .executeTakeFirst()
      )?.oldest,
    bucket_emptyings: async () =>
      (
        await db
          .selectFrom('bucket_emptyings')
          .select(({ fn }) => fn.min('requested_at').as('oldest'))
          .executeTakeFirst()
      )?.oldest,
  };
  new Gauge({
    name: 'portage_queue_oldest_seconds',
    help: 'Since when the first in a queue has been due; 0 when none is.',
    labelNames: ['queue'],
    registers: [metrics],
    async collect() {
      for (const [queue, read] of Object.entries(queues)) {
        try {
          const oldest = await read();
          const seconds = oldest == null ? 0 : Math.max(0, clock.now() - Number(oldest)) / 1000;
          this.set({ queue }, seconds);
        } catch (error) {
          this.remove({ queue });
          logger.warn({ err: error, queue }, 'a figure cannot be read');
        }
      }
    },
  });
}
