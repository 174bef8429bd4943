import type { Executor } from '#db/client.ts';
import { type AccountRow, findUserBySubject } from './queries.ts';
import { EMBEDDED_ISSUER, isLanguage, type Language } from './rules.ts';

/**
 * Returns the language to write to an account's owner in: the one chosen in the console, else the one of the registration,
 * else the one given.
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
