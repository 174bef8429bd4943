import type { Account, FindAccount } from 'oidc-provider';
import type { App } from '../../context.ts';
import { listDirectoryGroups } from '../../services/directory/list-directory-groups.ts';
import { findAccountBySubject } from '../../services/identity/queries.ts';
import { isConsole } from './provider-clients.ts';

/** Returns an account with its claims, or undefined for one that cannot sign in. */
export async function findProviderAccount(
  app: App,
  subject: string,
  token: Parameters<FindAccount>[2],
): Promise<Account | undefined> {
  const account = await findAccountBySubject(app.db, subject);
  if (!account || account.blocked_at !== null) return undefined;
  return {
    accountId: subject,
    claims: async (_use, scope) => ({
      sub: subject,
      name: account.full_name,
      preferred_username: account.login,
      picture: account.avatar_url ?? undefined,
      updated_at: Math.floor(account.updated_at / 1000),
      email: account.email,
      email_verified: account.email_verified_at !== null,
      groups: scope.split(' ').includes('groups') ? await listDirectoryGroups(app, subject) : undefined,
      // Identifies this browser's session here, so that the console can end it when its own ends.
      session_uid: token && isConsole(token.clientId) && 'sessionUid' in token ? token.sessionUid : undefined,
    }),
  };
}
