import type { RequestContext } from '#server/context.ts';
import { requireOwnAccount } from '../accounts/require-own-account.ts';
import type { SecondFactor } from '../schema.ts';
import { countRecoveryCodes } from './recovery-codes.ts';
import { hasSecondFactor } from './second-factor.ts';

/**
 * Returns whether two-step sign-in is on for the signed-in person's account.
 * @throws not_found, unauthenticated
 */
export async function getSecondFactor(context: RequestContext): Promise<SecondFactor> {
  const { number } = await requireOwnAccount(context);
  const { db } = context.app;
  return {
    is_on: await hasSecondFactor(db, number),
    recovery_codes_left: await countRecoveryCodes(db, number),
  };
}
