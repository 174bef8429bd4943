import type Provider from 'oidc-provider';
import type { App } from '../context.ts';
import { findAccountBySubject } from '../services/identity/queries.ts';

/** Who an access token belongs to, which program holds it, and what it may be used for. */
export interface AccessTokenHolder {
  subject: string;
  clientId: string;
  scopes: ReadonlySet<string>;
}

const TOKEN_LENGTH_MAX = 200;

/**
 * Returns the holder of an access token of the provider, or null when the token is unknown, expired or
 * revoked, or its program, grant or account no longer exists.
 */
export async function readAccessToken(
  { db }: Pick<App, 'db'>,
  provider: Provider,
  value: string,
): Promise<AccessTokenHolder | null> {
  if (value === '' || value.length > TOKEN_LENGTH_MAX) return null;
  const token = await provider.AccessToken.find(value);
  if (!token?.clientId || !token.accountId || !token.grantId || token.isSenderConstrained()) return null;
  const { clientId, accountId } = token;
  const [client, grant, account] = await Promise.all([
    provider.Client.find(clientId),
    provider.Grant.find(token.grantId),
    findAccountBySubject(db, accountId),
  ]);
  if (!client || !account || grant?.clientId !== clientId || grant.accountId !== accountId) return null;
  return { subject: accountId, clientId, scopes: token.scopes };
}
