import type { Executor } from '#db/client.ts';
import { type AccountRow, findUserBySubject } from '../queries.ts';
import { EMBEDDED_ISSUER, isLanguage, type Language } from '../rules.ts';

/**
 * Returns the language for messages to an account's owner: the one chosen in the console, otherwise the one
 * of the registration, otherwise the given one.
 */
export async function findAccountLanguage(
  executor: Executor,
  account: Pick<AccountRow, 'number' | 'language'> | null,
  otherwise: Language,
): Promise<Language> {
  const user = await findUserBySubject(executor, EMBEDDED_ISSUER, String(account?.number ?? 0));
  const known = user?.language_preference ?? account?.language ?? null;
  return isLanguage(known) ? known : otherwise;
}
