import type { Adapter } from 'oidc-provider';
import type { App } from '../../context.ts';
import { findIdentityClient } from '../../services/identity/clients/find-identity-client.ts';

/**
 * Returns the provider's lookup of the programs that an operator allows. It reads them each time, so that a
 * deleted one is refused immediately, and it cannot change them.
 */
export function createClientAdapter(app: Pick<App, 'db' | 'sealer'>): Adapter {
  const refuse = async () => {
    throw new Error('clients are made and deleted by operators only');
  };
  return {
    async find(clientId) {
      const client = await findIdentityClient(app, clientId);
      if (!client) return undefined;
      return {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        client_name: client.name,
        redirect_uris: client.redirectUris,
        response_types: ['code'],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'client_secret_basic',
        id_token_signed_response_alg: 'ES256',
      };
    },
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    upsert: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  };
}
