import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { PaymentError } from '#server/payments/payment-error.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { listPaymentMethods, requireCustomer } from '../queries.ts';
import { askProvider, paymentsUnavailable, requireBillingRight } from '../require-payments.ts';
import { PAYMENT_METHODS_MAX } from '../rules.ts';
import { callForCustomer } from './renew-customer.ts';

/**
 * Returns the secret with which the browser hands a card to the payment provider; the card itself never
 * reaches us.
 * @throws billing_off, person_required, permission_required, billing_customer_not_found,
 * payment_method_limit, too_many_requests; payments_unavailable also when the keys are those of another account
 */
export async function createSetupIntent(context: OrganizationContext): Promise<{ client_secret: string }> {
  const { payments, account } = requireBillingRight(context, 'billing.manage');
  const { app } = context;
  const { provider_id } = await requireCustomer(app.db, account);
  const methods = await listPaymentMethods(app.db, account);
  if (methods.length >= PAYMENT_METHODS_MAX) {
    throw new AppError('payment_method_limit', { limit: PAYMENT_METHODS_MAX });
  }
  await app.rateLimits.consume('card_setup_organization', account.organizationId);
  const { provider } = await payments.open();
  const key = `setup:${newId(app.clock.now())}`;
  const { id, clientSecret } = await askProvider(() =>
    callForCustomer(app, account, provider, provider_id, (customer) =>
      provider.createSetup(`${key}:${customer}`, customer),
    ),
  ).catch((error: unknown) => {
    if (!(error instanceof PaymentError) || error.kind !== 'missing') throw error;
    // Only the operator can help: the caller is told the same as when the keys do not work at all.
    app.logger.error(
      { err: error, organization_id: account.organizationId, customer: provider_id },
      'the payment provider does not know a billing customer: the keys may belong to another account',
    );
    throw paymentsUnavailable(error);
  });
  await inUnitOfWork(context, ({ audit }) =>
    audit({
      action: 'payment_method.begin',
      resource_type: 'billing',
      resource_id: account.organizationId,
      organization_id: account.organizationId,
      after: { setup_intent: id },
    }),
  );
  return { client_secret: clientSecret };
}
