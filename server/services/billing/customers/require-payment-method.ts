import type { Executor } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import type { Account, PaymentMethodRow } from '../queries.ts';

/**
 * Returns a card of the organization that was not removed.
 * @throws payment_method_not_found
 */
export async function requirePaymentMethod(
  executor: Executor,
  account: Account,
  id: string,
): Promise<PaymentMethodRow> {
  const row = await executor
    .selectFrom('payment_methods')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', account.organizationId)
    .where('mode', '=', account.mode)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw new AppError('payment_method_not_found');
  return row;
}
