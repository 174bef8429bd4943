import type { App } from '#server/context.ts';

/** What the embedded provider stores about another program. */
export interface RegisteredClient {
  clientId: string;
  clientSecret: string;
  name: string;
  redirectUris: string[];
}

/**
 * Returns the program registered under a client id with its opened secret, or null. Only for the provider
 * itself.
 */
export async function findIdentityClient(
  { db, sealer }: Pick<App, 'db' | 'sealer'>,
  clientId: string,
): Promise<RegisteredClient | null> {
  const row = await db
    .selectFrom('identity_clients')
    .selectAll()
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  if (!row) return null;
  return {
    clientId: row.client_id,
    clientSecret: sealer.open(row.secret_sealed, row.client_id),
    name: row.name,
    redirectUris: JSON.parse(row.redirect_uris),
  };
}
