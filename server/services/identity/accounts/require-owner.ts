import type { z } from 'zod';
import { inTransaction } from '#db/transaction.ts';
import type { RequestContext } from '#server/context.ts';
import type { AccountRow } from '../queries.ts';
import { showOwnerInput } from '../schema.ts';
import { countCode, hasSecondFactor, spendAnyCode } from '../second-factor/second-factor.ts';
import { requireCurrentPassword } from './require-current-password.ts';
import { requireOwnAccount } from './require-own-account.ts';

/**
 * Returns the signed-in person's account if the password is correct, and a code if two-step sign-in is on:
 * required before the ways to sign in change.
 * @throws unauthenticated, not_found, current_password_wrong, second_factor_code_wrong, too_many_requests
 */
export async function requireOwner(
  context: RequestContext,
  input: z.input<typeof showOwnerInput>,
): Promise<AccountRow> {
  const { app } = context;
  const { current_password, code = '' } = showOwnerInput.parse(input);
  const account = await requireOwnAccount(context);
  await requireCurrentPassword(context, account, current_password);
  if (await hasSecondFactor(app.db, account.number)) {
    const forget = await countCode(context, account.number);
    await inTransaction(app.db, (trx) => spendAnyCode(trx, app, { account: account.number, code }));
    await forget();
  }
  return account;
}
