import type { Selectable } from 'kysely';
import type { WebhookEventsTable } from '#db/schema/webhook-events.ts';
import type { RequestContext } from '#server/context.ts';
import { PaymentError } from '#server/payments/payment-error.ts';
import type { PaymentProvider } from '#server/payments/payment-provider.ts';
import { removeInSlices } from '../../shared/remove-in-slices.ts';
import { describeFailure } from '../../stuck-work/rules.ts';
import { keepCard } from '../customers/keep-card.ts';
import { forgetCard } from '../customers/remove-payment-method.ts';
import { followInvoice } from '../invoices/follow-invoice.ts';
import type { Account } from '../queries.ts';
import { followReversal } from './follow-reversals.ts';

/** Events processed in one run. */
const AT_ONCE = 200;
const RETRY_MIN_MS = 10_000;
const RETRY_MAX_MS = 6 * 3_600_000;
/** After this many attempts, the reconciliation has long found what there was to find. */
const ATTEMPTS_MAX = 12;
const KEPT_MS = 90 * 86_400_000;

type EventRow = Selectable<WebhookEventsTable>;

/**
 * Processes the provider's events. An event is a hint: the object is fetched in its current state, so that
 * events that arrive late, twice or out of order lead to the same result. A failed event is retried later and
 * blocks no other.
 */
export async function handleWebhooks(context: RequestContext, stopping?: AbortSignal): Promise<number> {
  const { app } = context;
  if (!app.payments) return 0;
  const { mode, open } = app.payments;
  const now = app.clock.now();
  const due = await app.db
    .selectFrom('webhook_events')
    .selectAll()
    .where('mode', '=', mode)
    .where('next_attempt_at', '<=', now)
    .orderBy('next_attempt_at')
    .limit(AT_ONCE)
    .execute();
  if (due.length === 0) return 0;
  const { provider } = await open();
  let handled = 0;
  for (const event of due) {
    if (stopping?.aborted) break;
    try {
      await handle(context, provider, event);
      await finish(context, event, { handled_at: now, next_attempt_at: null, last_error: null });
      handled += 1;
    } catch (error) {
      const attempts = event.attempts + 1;
      app.logger.warn(
        { err: error, event: event.provider_event_id, type: event.type },
        'an event of the payment provider could not be handled',
      );
      const delay = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** event.attempts);
      const next_attempt_at = attempts >= ATTEMPTS_MAX ? null : now + delay;
      await finish(context, event, { attempts, next_attempt_at, last_error: describeFailure(error) });
    }
  }
  return handled;
}

async function finish({ app }: RequestContext, event: EventRow, values: Partial<EventRow>): Promise<void> {
  await app.db
    .updateTable('webhook_events')
    .set(values)
    .where('mode', '=', event.mode)
    .where('provider_event_id', '=', event.provider_event_id)
    .execute();
}

async function handle(context: RequestContext, provider: PaymentProvider, event: EventRow): Promise<void> {
  try {
    switch (event.object_type) {
      case 'setup_intent': {
        const { status, cardId } = await provider.getSetup(event.object_id);
        if (status === 'succeeded' && cardId !== null) await followCard(context, provider, cardId);
        return;
      }
      case 'payment_method':
        return await followCard(context, provider, event.object_id);
      case 'invoice':
        return await followInvoice(context, event.object_id);
      case 'charge':
        // A charge alone is reported by its invoice.
        if (event.type !== 'charge.refunded') return;
        return await followReversal(context, provider, event.object_type, event.object_id);
      case 'refund':
      case 'dispute':
        return await followReversal(context, provider, event.object_type, event.object_id);
      default:
        return;
    }
  } catch (error) {
    // Deleted in the meantime: there is nothing left to fetch.
    if (error instanceof PaymentError && error.kind === 'missing') return;
    throw error;
  }
}

/** Updates our data about a card to match the provider. Cards of customers that are not ours are ignored. */
async function followCard(context: RequestContext, provider: PaymentProvider, cardId: string): Promise<void> {
  const { db, payments } = context.app;
  if (!payments) return;
  const { mode } = payments;
  const card = await provider.getCard(cardId);
  if (card.customerId === null) {
    const known = await db
      .selectFrom('payment_methods')
      .select(['id', 'organization_id'])
      .where('mode', '=', mode)
      .where('provider_id', '=', cardId)
      .where('removed_at', 'is', null)
      .executeTakeFirst();
    if (known) await forgetCard(context, { organizationId: known.organization_id, mode }, known.id);
    return;
  }
  const customer = await db
    .selectFrom('billing_customers')
    .select('organization_id')
    .where('mode', '=', mode)
    .where('provider_id', '=', card.customerId)
    .executeTakeFirst();
  const account: Account | undefined = customer && { organizationId: customer.organization_id, mode };
  if (account) await keepCard(context, account, card);
}

/** Deletes events that were processed long ago, here and in the sandbox. Returns how many. */
export async function pruneWebhooks({ app }: RequestContext, stopping?: AbortSignal): Promise<number> {
  const before = app.clock.now() - KEPT_MS;
  const remove = (limit: number) =>
    app.db
      .deleteFrom('webhook_events')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('mode', 'provider_event_id'),
          'in',
          selectFrom('webhook_events as old')
            .select(['old.mode', 'old.provider_event_id'])
            .where('old.received_at', '<', before)
            .where('old.next_attempt_at', 'is', null)
            .limit(limit)
            .$asTuple('mode', 'provider_event_id'),
        ),
      )
      .executeTakeFirstOrThrow();
  const removed = await removeInSlices(remove, stopping);
  const { sandbox = null } = app.payments?.mode === 'sandbox' ? await app.payments.open() : {};
  return removed + ((await sandbox?.prune(stopping)) ?? 0);
}
