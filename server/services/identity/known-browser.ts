import type { Executor } from '#db/client.ts';
import { findAccountByEmail } from './queries.ts';

/**
 * A browser at which somebody signed in to these accounts before. Its failures are counted for itself, so that what
 * strangers do to an account never keeps its owner out (OWASP's device cookies). It proves nothing else.
 */
export interface KnownBrowser {
  id: string;
  subjects: readonly string[];
}

/** Returns the subject of the account with an e-mail address when the browser knows it, else null. */
export async function findKnownSubject(
  executor: Executor,
  browser: KnownBrowser | null,
  email: string,
): Promise<string | null> {
  if (!browser) return null;
  const subject = String((await findAccountByEmail(executor, email))?.number);
  return browser.subjects.includes(subject) ? subject : null;
}
