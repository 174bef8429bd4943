import { type App, type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Payments } from '#server/payments/open-payments.ts';
import { PaymentError } from '#server/payments/payment-error.ts';
import type { Account } from './queries.ts';

/**
 * Returns the payment service.
 * @throws billing_off when nothing is billed
 */
export function requirePayments(app: App): Payments {
  if (!app.payments) throw new AppError('billing_off');
  return app.payments;
}

/**
 * Returns when the caller may do this with the organization's billing. A credential never may: its scopes
 * contain sites and buckets, not money.
 * @throws billing_off, person_required, permission_required, organization_suspended, unauthenticated
 */
export function requireBillingRight(
  context: OrganizationContext,
  action: 'billing.read' | 'billing.manage',
): { payments: Payments; account: Account } {
  if (context.actor.kind === 'credential') throw new AppError('person_required');
  requireAction(context, action);
  const payments = requirePayments(context.app);
  return { payments, account: { organizationId: context.organization.id, mode: payments.mode } };
}

/**
 * Invoices processed at once: a tenth of what a provider accepts per second, because each takes several calls
 * of some tenths of a second.
 */
export const PROVIDER_CALLS_AT_ONCE = 8;

const RETRY_SECONDS = 10;

/**
 * Calls the provider on behalf of a waiting caller.
 * @throws payments_unavailable when it cannot be called now
 */
export async function askProvider<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof PaymentError) || error.kind !== 'unavailable') throw error;
    throw paymentsUnavailable(error);
  }
}

/** Returns the error of a caller for whom the provider can do nothing now. */
export function paymentsUnavailable(cause: unknown): AppError {
  return new AppError('payments_unavailable', { seconds: RETRY_SECONDS }, [], { cause });
}
