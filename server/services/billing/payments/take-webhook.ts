import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { PaymentError } from '#server/payments/payment-error.ts';
import { requirePayments } from '../require-payments.ts';

/**
 * Records a delivery of the payment provider, once however often it arrives; it is processed afterwards. What is about nothing that
 * could be fetched is accepted and ignored.
 * @throws billing_off, webhook_refused when it is not from the provider or too old
 */
export async function takeWebhook(app: App, body: string, signature: string): Promise<void> {
  const { mode, open } = requirePayments(app);
  const { provider } = await open();
  const now = app.clock.now();
  let event: ReturnType<typeof provider.readEvent>;
  try {
    event = provider.readEvent(body, signature);
  } catch (error) {
    if (error instanceof PaymentError) throw new AppError('webhook_refused', {}, [], { cause: error });
    throw error;
  }
  // Refused, it would be delivered for days, and the provider would end up disabling the address.
  if (event === null) return;
  await app.db
    .insertInto('webhook_events')
    .values({
      mode,
      provider_event_id: event.id,
      type: event.type,
      object_type: event.objectType,
      object_id: event.objectId,
      created_at: event.createdAt,
      received_at: now,
      attempts: 0,
      last_error: null,
      handled_at: null,
      next_attempt_at: now,
    })
    .onConflict((conflict) => conflict.columns(['mode', 'provider_event_id']).doNothing())
    .execute();
}
