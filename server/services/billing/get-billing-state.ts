import type { Executor } from '#db/client.ts';
import type { BillingMode } from '#db/schema/billing-mode.ts';
import type { App } from '#server/context.ts';
import { toInstant } from '../shared/schema.ts';
import { formatMonth } from './months/month-rules.ts';

/** The state of billing in the whole installation. */
export interface BillingState {
  mode: BillingMode | 'off';
  /**
   * The last month that was closed, for how many organizations, and when the last of them was closed; null
   * before the first.
   */
  last_run: { month: string; organizations: number; closed_at: string } | null;
  open_invoices: number;
  held_invoices: number;
  /** Invoices with a dispute that no bank has decided. */
  disputed_invoices: number;
  /** Refunds that a bank rejected and nobody has given back by other means. */
  rejected_refunds: number;
}

/**
 * Returns the state of billing in the whole installation: its mode, its last run, and what is open or held.
 */
export async function getBillingState({ db, payments }: Pick<App, 'db' | 'payments'>): Promise<BillingState> {
  if (payments === null) {
    return {
      ...{ mode: 'off', last_run: null, open_invoices: 0, held_invoices: 0 },
      ...{ disputed_invoices: 0, rejected_refunds: 0 },
    };
  }
  const { mode } = payments;
  const [last_run, disputed, rejected, counts] = await Promise.all([
    findLastRun(db, mode),
    db
      .selectFrom('payment_reversals')
      .select(({ fn }) => fn.count<number>('invoice_id').distinct().as('invoices'))
      .where('mode', '=', mode)
      .where('status', 'in', ['inquiry', 'open'])
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('payment_reversals')
      .select(({ fn }) => fn.countAll<number>().as('refunds'))
      .where('mode', '=', mode)
      .where('kind', '=', 'refund')
      .where('status', '=', 'failed')
      .where('repaid_at', 'is', null)
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('invoices')
      .select(({ fn }) => [
        fn.countAll<number>().filterWhere('status', '=', 'open').as('open'),
        fn.countAll<number>().filterWhere('hold_reason', 'is not', null).as('held'),
      ])
      .where('mode', '=', mode)
      .where('status', 'in', ['draft', 'open'])
      .executeTakeFirstOrThrow(),
  ]);
  return {
    mode,
    last_run,
    open_invoices: Number(counts.open),
    held_invoices: Number(counts.held),
    disputed_invoices: Number(disputed.invoices),
    rejected_refunds: Number(rejected.refunds),
  };
}

async function findLastRun(db: Executor, mode: BillingMode): Promise<BillingState['last_run']> {
  const last = await db
    .selectFrom('billing_months')
    .select(['year', 'month'])
    .where('mode', '=', mode)
    .orderBy('year', 'desc')
    .orderBy('month', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!last) return null;
  const run = await db
    .selectFrom('billing_months')
    .select(({ fn }) => [fn.countAll<number>().as('organizations'), fn.max('closed_at').as('closed_at')])
    .where('mode', '=', mode)
    .where('year', '=', last.year)
    .where('month', '=', last.month)
    .executeTakeFirstOrThrow();
  return {
    month: formatMonth(last),
    organizations: Number(run.organizations),
    closed_at: toInstant(Number(run.closed_at)),
  };
}
