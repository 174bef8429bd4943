import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { requireCurrentPassword } from '../accounts/require-current-password.ts';
import { requireOwnAccount } from '../accounts/require-own-account.ts';
import { requireProvenAddress } from '../accounts/require-usable-account.ts';
import { beginTotpInput, type TotpSetup } from '../schema.ts';
import { totpPlace } from './second-factor.ts';
import { newTotpSecret, totpLink } from './totp.ts';

/**
 * Returns a new secret for the signed-in person's authenticator app; nothing changes until one of its codes
 * is confirmed. It replaces a secret that was started before.
 * @throws current_password_wrong, account_unverified, second_factor_is_on, not_found, too_many_requests
 */
export async function beginTotp(
  context: RequestContext,
  input: z.input<typeof beginTotpInput>,
): Promise<TotpSetup> {
  const { app } = context;
  const { current_password } = beginTotpInput.parse(input);
  const account = await requireOwnAccount(context);
  await requireCurrentPassword(context, account, current_password);
  await requireProvenAddress(app, account);
  const secret = newTotpSecret();
  const begun = {
    secret_sealed: app.sealer.seal(secret, totpPlace(account.number)),
    created_at: app.clock.now(),
  };
  const { numInsertedOrUpdatedRows } = await app.db
    .insertInto('identity_totp')
    .values({ account_number: account.number, confirmed_at: null, ...begun })
    .onConflict((conflict) =>
      conflict
        .column('account_number')
        .doUpdateSet({ ...begun, last_step: 0 })
        .where('identity_totp.confirmed_at', 'is', null),
    )
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) throw new AppError('second_factor_is_on');
  return { secret, link: totpLink(secret, { issuer: app.config.productName, email: account.email }) };
}
