import type { BillingMode } from '#db/schema/billing-mode.ts';
import type { App, RequestContext } from '#server/context.ts';
import { workThrough } from '../../stuck-work/work-through.ts';
import { heldStorage } from '../spending/held-storage.ts';
import { type BillingTerms, billedDays, findBillingTerms, isStorageBilled } from './billing-terms.ts';
import { closeMonth, closeMonthTogether } from './close-month.ts';
import {
  addMonths,
  type BillingMonth,
  compareMonths,
  formatMonth,
  lastClosedMonth,
  monthEnd,
  monthOf,
  monthStart,
} from './month-rules.ts';

/** After a longer outage of the job, older months are left to the operator's command. */
const MONTHS_CAUGHT_UP = 12;
/** Organizations whose month is closed in one transaction: few enough that other writers do not wait long. */
const CLOSED_TOGETHER = 50;
/** How long after its end a resource can still have late usage to bill. */
const STALE_AFTER_MS = 200 * 86_400_000;

/**
 * Closes every past month for every organization that had anything in it, earliest first. Safe to repeat, to
 * interrupt and to run twice at once: a month of an organization closes once. Returns how many were closed.
 */
export async function closeMonths({ app }: RequestContext, stopping?: AbortSignal): Promise<number> {
  const { payments } = app;
  if (!payments) return 0;
  const terms = await findBillingTerms(app.db, payments.mode);
  const last = lastClosedMonth(app.clock.now());
  let month = addMonths(last, 1 - MONTHS_CAUGHT_UP);
  const first = monthOf(terms.since);
  if (compareMonths(month, first) < 0) month = first;
  let closed = 0;
  while (compareMonths(month, last) <= 0 && !stopping?.aborted) {
    closed += await closeMonthOfAll(app, month, terms, stopping);
    month = addMonths(month, 1);
  }
  return closed;
}

/** Closes one month for every organization for which it is still open. */
export async function closeMonthOfAll(
  app: App,
  month: BillingMonth,
  terms: BillingTerms,
  stopping?: AbortSignal,
): Promise<number> {
  const { payments } = app;
  const { start, end } = billedDays(terms, month);
  if (!payments || start >= end) return 0;
  const { mode } = payments;
  return workThrough(app, {
    job: 'close-billing-months',
    list: (after, limit) => listOpenAccounts(app, { mode, month, terms }, after, limit),
    nameOf: ({ id }) => `${id} ${formatMonth(month)}`,
    together: {
      size: CLOSED_TOGETHER,
      work: async (accounts) => {
        const ids = accounts.map(({ id }) => id);
        return (await closeMonthTogether(app, ids, { mode, month, terms })).length;
      },
    },
    work: async ({ id }) => {
      const { isClosed } = await closeMonth(app, { organizationId: id, mode }, month, terms);
      return isClosed;
    },
    stopping,
  });
}

/** Organizations that recently had anything and whose month is still open, by id. */
function listOpenAccounts(
  app: App,
  { mode, month, terms }: { mode: BillingMode; month: BillingMonth; terms: BillingTerms },
  after: string,
  limit: number,
) {
  const [id = ''] = after.split(' ');
  const stale = monthStart(month) - STALE_AFTER_MS;
  return app.db
    .selectFrom('organizations')
    .select('id')
    .where('id', '>', id)
    .where(({ or, exists, selectFrom }) => {
      const hadResource = exists(
        selectFrom('resource_lifetimes')
          .select('resource_lifetimes.resource_id')
          .whereRef('resource_lifetimes.organization_id', '=', 'organizations.id')
          .where('resource_lifetimes.started_at', '<', monthEnd(month))
          .where((lifetime) =>
            lifetime.or([
              lifetime('resource_lifetimes.ended_at', 'is', null),
              lifetime('resource_lifetimes.ended_at', '>', stale),
            ]),
          ),
      );
      return isStorageBilled(terms, month)
        ? or([hadResource, heldStorage('organizations.id', billedDays(terms, month))])
        : hadResource;
    })
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('billing_months')
            .select('billing_months.mode')
            .whereRef('billing_months.organization_id', '=', 'organizations.id')
            .where('billing_months.mode', '=', mode)
            .where('billing_months.year', '=', month.year)
            .where('billing_months.month', '=', month.month),
        ),
      ),
    )
    .orderBy('id')
    .limit(limit)
    .execute();
}
