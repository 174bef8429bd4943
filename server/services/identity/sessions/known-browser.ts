import type { Executor } from '#db/client.ts';
import { findAccountByEmail } from '../queries.ts';

/**
 * A browser in which someone has signed in to these accounts before. Its failures are counted separately, so
 * that what strangers do to an account never keeps its owner out (OWASP's device cookies). It proves nothing
 * else.
 */
export interface KnownBrowser {
  id: string;
  subjects: readonly string[];
}

/** Returns the subject of the account with an email address when the browser knows it, otherwise null. */
export async function findKnownSubject(
  executor: Executor,
  browser: KnownBrowser | null,
  email: string,
): Promise<string | null> {
  if (!browser) return null;
  const subject = String((await findAccountByEmail(executor, email))?.number);
  return browser.subjects.includes(subject) ? subject : null;
}
