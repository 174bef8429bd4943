import type { Selectable } from 'kysely';
import type { Executor, Trx } from '#db/client.ts';
import type { IdentityTotpTable } from '#db/schema/identity-totp.ts';
import type { App, RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { addressKey, type RateLimitName } from '#server/limits/rate-limits.ts';
import { queueMail } from '../../mail/queue-mail.ts';
import { withoutUnseen } from '../../shared/text-rules.ts';
import type { UnitOfWork } from '../../shared/unit-of-work.ts';
import { findAccountLanguage } from '../accounts/find-account-language.ts';
import type { AccountRow } from '../queries.ts';
import { composeSecondFactorChanged, type SecondFactorChange } from './compose-second-factor-mail.ts';
import { deleteRecoveryCodes, spendRecoveryCode } from './recovery-codes.ts';
import { findTotpStep } from './totp.ts';

async function findTotp(executor: Executor, account: number): Promise<Selectable<IdentityTotpTable> | null> {
  const row = await executor
    .selectFrom('identity_totp')
    .selectAll()
    .where('account_number', '=', account)
    .executeTakeFirst();
  return row ?? null;
}

/** Whether a password alone is not enough to sign in to the account. */
export async function hasSecondFactor(executor: Executor, account: number): Promise<boolean> {
  return (await findTotp(executor, account))?.confirmed_at != null;
}

/** What a sealed secret is bound to. */
export function totpPlace(account: number): string {
  return `identity-totp:${account}`;
}

/**
 * Counts an attempt at a code before it is checked; returns the counts that a correct one resets.
 * @throws too_many_requests
 */
export async function countCode(
  { app, address }: RequestContext,
  account: number,
): Promise<() => Promise<void>> {
  const counted: readonly (readonly [RateLimitName, string])[] = [
    ['second_factor_account', `${account} ${addressKey(address)}`],
    ['second_factor_account_anywhere', String(account)],
  ];
  for (const [name, key] of counted) await app.rateLimits.consume(name, key);
  return async () => {
    for (const [name, key] of counted) await app.rateLimits.forget(name, key);
  };
}

/**
 * Uses up a code of the authenticator app.
 * @throws second_factor_code_wrong, also for the later of two concurrent requests
 */
export async function spendTotpCode(
  trx: Trx,
  { sealer, clock }: App,
  { account, code }: { account: number; code: string },
): Promise<void> {
  const row = await findTotp(trx, account);
  const secret = row ? sealer.open(row.secret_sealed, totpPlace(account)) : null;
  const step =
    secret === null ? null : findTotpStep(secret, withoutUnseen(code).replace(/\s/g, ''), clock.now());
  if (step === null) throw new AppError('second_factor_code_wrong');
  const { numUpdatedRows } = await trx
    .updateTable('identity_totp')
    .set({ last_step: step })
    .where('account_number', '=', account)
    .where('last_step', '<', step)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new AppError('second_factor_code_wrong');
}

/**
 * Uses up a code of the app or a recovery code, and returns which it was.
 * @throws second_factor_code_wrong
 */
export async function spendAnyCode(
  trx: Trx,
  app: App,
  given: { account: number; code: string },
): Promise<'totp' | 'recovery'> {
  if (await spendRecoveryCode(trx, app.sealer, given)) return 'recovery';
  await spendTotpCode(trx, app, given);
  return 'totp';
}

/** Removes the second factor from an account; returns false when it had none. */
export async function deleteSecondFactor(trx: Trx, account: number): Promise<boolean> {
  await deleteRecoveryCodes(trx, account);
  const deleted = await trx
    .deleteFrom('identity_totp')
    .where('account_number', '=', account)
    .returning('confirmed_at')
    .execute();
  return deleted.some(({ confirmed_at }) => confirmed_at !== null);
}

const ACTIONS = {
  on: 'account.second_factor_on',
  off: 'account.second_factor_off',
  codes: 'account.recovery_codes',
  code_used: 'account.recovery_code_used',
  reset: 'account.second_factor_reset',
  passkey_added: 'account.passkey_added',
  passkey_removed: 'account.passkey_removed',
} as const satisfies Record<SecondFactorChange, string>;

/**
 * Records a change of an account's ways to sign in besides the password in the audit log and notifies its
 * owner, in the transaction of the change.
 */
export async function recordSecondFactor(
  { trx, audit }: UnitOfWork,
  app: App,
  account: AccountRow,
  change: SecondFactorChange,
): Promise<void> {
  const resource = { resource_type: 'account', resource_id: String(account.number) };
  await audit({ action: ACTIONS[change], organization_id: null, ...resource });
  const language = await findAccountLanguage(trx, account, 'en-CA');
  const message = composeSecondFactorChanged(app, language, { email: account.email, change });
  await queueMail(trx, app, { recipient: account.email, message, ...resource });
}
