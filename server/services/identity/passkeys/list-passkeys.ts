import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { requireOwnAccount } from '../accounts/require-own-account.ts';
import type { passkeysSchema } from '../schema.ts';
import { hasSecondFactor } from '../second-factor/second-factor.ts';
import { findPasskeys, toPasskey } from './passkeys.ts';

/**
 * Returns the signed-in person's passkeys, and whether changing them requires a code.
 * @throws not_found, unauthenticated
 */
export async function listPasskeys(context: RequestContext): Promise<z.infer<typeof passkeysSchema>> {
  const { db } = context.app;
  const { number } = await requireOwnAccount(context);
  return {
    passkeys: (await findPasskeys(db, number)).map(toPasskey),
    is_code_needed: await hasSecondFactor(db, number),
  };
}
