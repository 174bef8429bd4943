import { type RawBuilder, sql } from 'kysely';
import type { App } from '#server/context.ts';
import type { QueueName } from './rules.ts';

/** The current state of one queue. */
export interface QueueState {
  queue: QueueName;
  /** How much is due. */
  waiting: number;
  /** Since when the first has been due; null when nothing is. */
  oldest_at: number | null;
}

interface Queue {
  table: string;
  /** When an entry is due; null while it is not. */
  due: string;
  only?: RawBuilder<unknown>;
}

const QUEUES: Record<QueueName, Queue> = {
  mails: { table: 'outgoing_mails', due: 'next_attempt_at' },
  certificates: { table: 'certificate_bundles', due: 'next_issue_at' },
  dns_checks: { table: 'certificate_bundles', due: 'next_check_at' },
  encoded_copies: {
    table: 'site_versions',
    due: 'sealed_at',
    only: sql`encoded_at is null and removed_at is null`,
  },
  webhooks: { table: 'webhook_messages', due: 'next_attempt_at' },
  bucket_emptyings: { table: 'bucket_emptyings', due: 'requested_at' },
  upload_abandonments: { table: 'upload_abandonments', due: 'requested_at' },
  invoices: { table: 'invoices', due: 'next_attempt_at' },
  payment_events: { table: 'webhook_events', due: 'next_attempt_at' },
  billing_notices: { table: 'billing_notices', due: 'created_at', only: sql`told_at is null` },
};

/** Returns how much waits in a queue and since when. All are read by an index. */
export async function readQueue(
  { clock, db }: Pick<App, 'clock' | 'db'>,
  queue: QueueName,
): Promise<QueueState> {
  const { table, due, only = sql`1 = 1` } = QUEUES[queue];
  const column = sql.ref(due);
  const { rows } = await sql<{ waiting: number | string; oldest: number | string | null }>`
    select count(*) as waiting, min(${column}) as oldest from ${sql.table(table)}
    where ${column} <= ${clock.now()} and ${column} is not null and ${only}`.execute(db);
  const [row] = rows;
  const oldest = row?.oldest ?? null;
  return { queue, waiting: Number(row?.waiting ?? 0), oldest_at: oldest === null ? null : Number(oldest) };
}
