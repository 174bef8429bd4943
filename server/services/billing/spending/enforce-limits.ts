import type { Trx } from '#db/client.ts';
import type { BillingMode } from '#db/schema/billing-mode.ts';
import type { Config } from '#server/config/config.ts';
import type { RequestContext } from '#server/context.ts';
import { inUnitOfWork, type UnitOfWork } from '../../shared/unit-of-work.ts';
import { workThrough } from '../../stuck-work/work-through.ts';
import { queueWebhooks } from '../../webhooks/queue-webhooks.ts';
import { monthOf } from '../months/month-rules.ts';
import type { Account } from '../queries.ts';
import { findLimits, type LimitRow, measureSpending } from './find-limits.ts';
import { type AlertShare, isStoppedAt, sharesReached, wireIdOf } from './limit-rules.ts';
import { listStopChanges, type Stop } from './list-stop-changes.ts';
import { queueSpendingAlert } from './queue-spending-alert.ts';

const keyOf = ({ scope, resource_id }: Stop) => `${scope} ${resource_id}`;

/**
 * Compares what an organization has spent this month with its limits: people are told of each share once a
 * month, what has reached a stop limit is no longer served, and what is within its limit again is served.
 * @param endsStops false while a new month may be the error of a clock
 */
export async function enforceLimitsOf(
  context: RequestContext,
  account: Account,
  { endsStops = true }: { endsStops?: boolean } = {},
): Promise<void> {
  const { app } = context;
  await inUnitOfWork(context, async (unit) => {
    const { trx, now } = unit;
    const month = monthOf(now);
    const limits = await findLimits(trx, account);
    const spentOf = await measureSpending(trx, app, account, month);
    const wanted: Stop[] = [];
    for (const limit of limits) {
      const spent = spentOf(limit);
      if (isStoppedAt(limit, spent, month)) wanted.push(limit);
      const reached = sharesReached(spent, limit.amount_cents);
      const share = await noteShares(trx, limit, month, reached, now);
      if (share === null) continue;
      await queueSpendingAlert(trx, app, limit, { share, spentCents: spent });
      await queueWebhooks(trx, app, account.organizationId, 'limit.reached', {
        scope: limit.scope,
        resource_id: wireIdOf(limit),
        share,
        spent_cents: spent,
        limit_cents: limit.amount_cents,
        is_stopped: wanted.includes(limit),
      });
    }
    await applyStops(unit, app.config, account, wanted, endsStops);
  });
}

/** Records the shares that were reached, and returns the highest one not yet reported. */
async function noteShares(
  trx: Trx,
  limit: LimitRow,
  { year, month }: { year: number; month: number },
  reached: readonly AlertShare[],
  now: number,
): Promise<AlertShare | null> {
  let highest: AlertShare | null = null;
  for (const share of reached) {
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('spending_alerts')
      .values({
        organization_id: limit.organization_id,
        mode: limit.mode,
        limit_id: limit.id,
        year,
        month,
        share,
        created_at: now,
      })
      .onConflict((conflict) => conflict.columns(['limit_id', 'year', 'month', 'share']).doNothing())
      .executeTakeFirstOrThrow();
    if ((numInsertedOrUpdatedRows ?? 0n) > 0n) highest = share;
  }
  return highest;
}

/** Sets the stops of an organization to these, exactly if stops may end, and makes every edge reload what changed. */
async function applyStops(
  { trx, now, audit, tellEdges }: UnitOfWork,
  config: Config,
  account: Account,
  wanted: readonly Stop[],
  endsStops = true,
): Promise<void> {
  const known = await trx
    .selectFrom('spending_stops')
    .select(['mode', 'scope', 'resource_id'])
    .where('organization_id', '=', account.organizationId)
    .execute();
  const isKept = (stop: Stop & { mode: BillingMode }) =>
    stop.mode === account.mode && wanted.some((each) => keyOf(each) === keyOf(stop));
  const ended = endsStops ? known.filter((stop) => !isKept(stop)) : [];
  const begun = wanted.filter(
    (stop) => !known.some((each) => each.mode === account.mode && keyOf(each) === keyOf(stop)),
  );
  for (const { mode, scope, resource_id } of ended) {
    await trx
      .deleteFrom('spending_stops')
      .where('organization_id', '=', account.organizationId)
      .where('mode', '=', mode)
      .where('scope', '=', scope)
      .where('resource_id', '=', resource_id)
      .execute();
  }
  for (const { scope, resource_id } of begun) {
    await trx
      .insertInto('spending_stops')
      .values({
        organization_id: account.organizationId,
        mode: account.mode,
        scope,
        resource_id,
        ...monthOf(now),
        created_at: now,
      })
      .onConflict((conflict) =>
        conflict.columns(['organization_id', 'mode', 'scope', 'resource_id']).doNothing(),
      )
      .execute();
    await audit({
      action: 'spending_limit.reach',
      resource_type: scope,
      resource_id,
      organization_id: account.organizationId,
    });
  }
  if (begun.length + ended.length === 0) return;
  const changes = await listStopChanges(trx, config, account.organizationId, [...begun, ...ended]);
  for (const change of changes) tellEdges(change);
}

/**
 * Enforces the limits of every organization that has a limit or a stop, even if its month is over, its limit
 * is gone, or it is no longer billed. While the clock may be wrong, stops begin but do not end: of a month that has not begun,
 * nothing is spent. Returns how many organizations were processed.
 */
export async function enforceLimits(
  context: RequestContext,
  stopping?: AbortSignal,
  mayTrustClock: () => Promise<boolean> = async () => true,
): Promise<number> {
  const { app } = context;
  const mode = app.payments?.mode ?? null;
  const endsStops = await mayTrustClock();
  return workThrough(app, {
    job: 'enforce-spending-limits',
    list: (after, limit) => {
      const stopped = app.db
        .selectFrom('spending_stops')
        .select('organization_id')
        .where('organization_id', '>', after);
      const limited = app.db
        .selectFrom('spending_limits')
        .select('organization_id')
        .where('organization_id', '>', after);
      const all = mode === null ? stopped.distinct() : stopped.union(limited.where('mode', '=', mode));
      return all.orderBy('organization_id').limit(limit).execute();
    },
    nameOf: ({ organization_id }) => organization_id,
    work: async ({ organization_id }) => {
      const account = mode && { organizationId: organization_id, mode };
      if (account !== null) await enforceLimitsOf(context, account, { endsStops });
      else await liftStops(context, organization_id);
      return true;
    },
    stopping,
  });
}

/** When nothing is billed, nothing is stopped. */
async function liftStops(context: RequestContext, organizationId: string): Promise<void> {
  await inUnitOfWork(context, (unit) =>
    applyStops(unit, context.app.config, { organizationId, mode: 'sandbox' }, []),
  );
}
