import type { RequestContext } from '#server/context.ts';
import { toAccount } from '../queries.ts';
import type { Account } from '../schema.ts';
import { requireOwnAccount } from './require-own-account.ts';

/**
 * Returns the signed-in person's account at the embedded identity service.
 * @throws not_found when the person signed in elsewhere
 */
export async function getAccount(context: RequestContext): Promise<Account> {
  return toAccount(await requireOwnAccount(context));
}
