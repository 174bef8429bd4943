import { createHmac, randomInt } from 'node:crypto';
import type { Executor, Trx } from '#db/client.ts';
import type { Sealer } from '#server/secrets/sealer.ts';
import { withoutUnseen } from '../../shared/text-rules.ts';

const CODES = 10;
const LENGTH = 10;
/** Without letters that are easily confused. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Replaces an account's recovery codes with ten new ones (about 49 bits each), and returns them. */
export async function replaceRecoveryCodes(trx: Trx, sealer: Sealer, account: number): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode);
  await deleteRecoveryCodes(trx, account);
  await trx
    .insertInto('identity_recovery_codes')
    .values(codes.map((code) => ({ code_hash: hashCode(sealer, account, code), account_number: account })))
    .execute();
  return codes;
}

export async function deleteRecoveryCodes(trx: Trx, account: number): Promise<void> {
  await trx.deleteFrom('identity_recovery_codes').where('account_number', '=', account).execute();
}

/**
 * Uses up a code; hyphens, spaces and case do not matter. Of two requests with the same code, one gets true.
 */
export async function spendRecoveryCode(
  trx: Trx,
  sealer: Sealer,
  { account, code }: { account: number; code: string },
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('identity_recovery_codes')
    .where('code_hash', '=', hashCode(sealer, account, code))
    .where('account_number', '=', account)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

export async function countRecoveryCodes(executor: Executor, account: number): Promise<number> {
  const { left } = await executor
    .selectFrom('identity_recovery_codes')
    .select(({ fn }) => fn.countAll().as('left'))
    .where('account_number', '=', account)
    .executeTakeFirstOrThrow();
  return Number(left);
}

function newCode(): string {
  const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`;
}

function hashCode(sealer: Sealer, account: number, code: string): string {
  const plain = withoutUnseen(code).toLowerCase().replace(/[\s-]/g, '');
  return createHmac('sha256', sealer.deriveKey('recovery-codes')).update(`${account} ${plain}`).digest('hex');
}
