import { sql } from 'kysely';
import type { RequestContext } from '#server/context.ts';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { PaymentError } from '#server/payments/payment-error.ts';
import type { PaymentProvider } from '#server/payments/payment-provider.ts';
import { workThrough } from '../../stuck-work/work-through.ts';
import { finishCreditNote } from '../credits/finish-credit-note.ts';
import { applyProviderInvoice } from '../invoices/follow-invoice.ts';
import { reconcileReversals } from './follow-reversals.ts';
import { reportRejectedRefunds } from './report-rejected-refunds.ts';

/** Ended invoices are compared once a day within this time, each in an hour of its own: a month ends for all of them together. */
const COMPARED_MS = 60 * DAY_MS;
const HOURS_OF_DAY = DAY_MS / HOUR_MS;
/** Reads of the provider at once: well below what it allows in a second. */
const READS_AT_ONCE = 4;
/** The letters of ids, of which the last is random. */
const ID_LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const lastLetter = sql<string>`substr(id, 26, 1)`;
/** Removed cards that the provider may still have. */
const CARDS_MS = 7 * DAY_MS;

/**
 * Compares our data with the provider's, and continues what was interrupted: open invoices are followed,
 * credit notes finished, removed cards detached, refunds and disputes followed. A difference that no event of the provider explains is shown
 * to the operator as stuck work, and nothing is overwritten. Returns how many invoices were compared.
 */
export async function reconcileBilling(context: RequestContext, stopping?: AbortSignal): Promise<number> {
  const { payments } = context.app;
  if (!payments) return 0;
  const { provider } = await payments.open();
  await finishCreditNotes(context, provider, stopping);
  await letCardsGo(context, provider, stopping);
  const compared = await compareInvoices(context, provider, stopping);
  // Last, since a key of the provider may be restricted to invoices.
  await reconcileReversals(context, provider, stopping);
  await reportRejectedRefunds(context.app, provider.mode);
  return compared;
}

async function finishCreditNotes(
  context: RequestContext,
  { mode }: PaymentProvider,
  stopping?: AbortSignal,
): Promise<void> {
  const { app } = context;
  await workThrough(app, {
    job: 'finish-credit-notes',
    list: (after, limit) =>
      app.db
        .selectFrom('credit_notes')
        .select('id')
        .where('mode', '=', mode)
        .where('is_early', 'is', null)
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),
    nameOf: ({ id }) => id,
    work: async ({ id }) => {
      await finishCreditNote(context, id);
      return true;
    },
    stopping,
  });
}

async function letCardsGo(
  { app }: RequestContext,
  provider: PaymentProvider,
  stopping?: AbortSignal,
): Promise<void> {
  const since = app.clock.now() - CARDS_MS;
  await workThrough(app, {
    job: 'let-cards-go',
    list: (after, limit) =>
      app.db
        .selectFrom('payment_methods')
        .select(['id', 'provider_id'])
        .where('mode', '=', provider.mode)
        .where('removed_at', '>', since)
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),
    nameOf: ({ id }) => id,
    work: async ({ provider_id }) => {
      await provider.detachCard(provider_id).catch((error: unknown) => {
        if (!(error instanceof PaymentError) || error.kind !== 'missing') throw error;
      });
      return true;
    },
    stopping,
  });
}

function compareInvoices(
  context: RequestContext,
  provider: PaymentProvider,
  stopping?: AbortSignal,
): Promise<number> {
  const { app } = context;
  const now = app.clock.now();
  const since = now - COMPARED_MS;
  const letters = lettersOfHour(now);
  return workThrough(app, {
    job: 'reconcile-billing',
    list: (after, limit) =>
      app.db
        .selectFrom('invoices')
        .select(['id', 'provider_id', 'total_cents'])
        .where('mode', '=', provider.mode)
        .where('provider_id', 'is not', null)
        .where((invoice) =>
          invoice.or([
            invoice('status', 'in', ['open', 'uncollectible']),
            invoice('updated_at', '>', since).and(lastLetter, 'in', letters),
          ]),
        )
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),
    nameOf: ({ id }) => id,
    work: async ({ id, provider_id, total_cents }) => {
      const seen = await provider.getInvoice(provider_id ?? '');
      const row = await applyProviderInvoice(context, id, seen);
      if (seen.status !== row.status || (seen.status !== 'draft' && seen.totalCents !== total_cents)) {
        throw new Error(
          `the provider has the invoice ${id} as ${seen.status} over ${seen.totalCents} cents, we have it as ${row.status} over ${total_cents}`,
        );
      }
      return true;
    },
    atOnce: READS_AT_ONCE,
    stopping,
  });
}

/** Returns the last letters of the ids whose hour of the day this is. */
function lettersOfHour(now: number): string[] {
  const hour = Math.floor(now / HOUR_MS) % HOURS_OF_DAY;
  return [...ID_LETTERS].filter((_, index) => index % HOURS_OF_DAY === hour);
}
