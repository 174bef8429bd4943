import type { ClientMetadata } from 'oidc-provider';
import type { Config } from '../../config/config.ts';

export const CONSOLE_CLIENT_ID = 'console';
/** The scopes of the console. It reads its own database and needs nothing more. */
export const CONSOLE_SCOPE = 'openid profile email';
/** The scopes of other programs: what Forgejo and Gitea offer, so that one adapter serves all three. */
export const OTHERS_SCOPE = 'openid profile email groups read:user read:organization';

export function isConsole(clientId: string | undefined): boolean {
  return clientId === CONSOLE_CLIENT_ID;
}

/** Our own console, as a client of the provider. */
export function consoleClient({ publicUrl, productName }: Config, clientSecret: string): ClientMetadata {
  return {
    client_id: CONSOLE_CLIENT_ID,
    client_secret: clientSecret,
    client_name: productName,
    redirect_uris: [`${publicUrl}/auth/callback`],
    response_types: ['code'],
    grant_types: ['authorization_code'],
    scope: CONSOLE_SCOPE,
    token_endpoint_auth_method: 'client_secret_basic',
    id_token_signed_response_alg: 'ES256',
  };
}
