import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { PaymentError } from '#server/payments/payment-error.ts';
import type { CardSetup, PaymentProvider } from '#server/payments/payment-provider.ts';
import { describeCustomer, requireCustomer } from '../queries.ts';
import { askProvider, requireBillingRight } from '../require-payments.ts';
import { addPaymentMethodInput, type Customer } from '../schema.ts';
import { keepCard } from './keep-card.ts';
import { trySyncCustomer } from './sync-customer.ts';

/**
 * Attaches the card that the browser has handed to the payment provider, and returns the customer. The
 * provider is asked who owns the setup and whether it succeeded; the browser's statement is not trusted.
 * Repeating it changes nothing.
 * @throws billing_off, person_required, permission_required, billing_customer_not_found,
 * payments_unavailable; setup_not_found for another customer's too, setup_incomplete while the card is not
 * verified
 */
export async function addPaymentMethod(
  context: OrganizationContext,
  input: z.input<typeof addPaymentMethodInput>,
): Promise<Customer> {
  const { payments, account } = requireBillingRight(context, 'billing.manage');
  const { setup_intent_id } = addPaymentMethodInput.parse(input);
  const { app } = context;
  const { provider_id } = await requireCustomer(app.db, account);
  const { provider } = await payments.open();
  const setup = await findSetup(provider, setup_intent_id);
  if (setup?.customerId !== provider_id) throw new AppError('setup_not_found');
  const { status, cardId } = setup;
  if (status !== 'succeeded' || cardId === null) throw new AppError('setup_incomplete');
  const card = await askProvider(() => provider.getCard(cardId));
  if (await keepCard(context, account, card)) await trySyncCustomer(app, account);
  return describeCustomer(app.db, account);
}

async function findSetup(provider: PaymentProvider, id: string): Promise<CardSetup | null> {
  try {
    return await askProvider(() => provider.getSetup(id));
  } catch (error) {
    const isUnknown = error instanceof PaymentError && (error.kind === 'missing' || error.kind === 'invalid');
    if (isUnknown) return null;
    throw error;
  }
}
