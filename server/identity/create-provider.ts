import { type Configuration, interactionPolicy, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { App } from '../context.ts';
import type { ErrorCode } from '../error-codes.ts';
import { findAccountBySubject } from '../services/identity/queries.ts';
import type { IdentityKeys } from './identity-keys.ts';
import { createProviderAdapter } from './provider-adapter.ts';

export const IDENTITY_PATH = '/identity';
export const CONSOLE_CLIENT_ID = 'console';
const SCOPE = 'openid profile email';
const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * Returns the OpenID provider for this installation's own accounts. Its only client is our console, which needs no consent
 * screen; everything that the console does not use is off. Sign-in and registration happen on the console's pages.
 */
export function createProvider(app: App, keys: IdentityKeys, clientSecret: string): Provider {
  const { config, db, logger } = app;
  const isSecure = config.publicUrl.startsWith('https:');
  const off = { enabled: false };
  const policy = interactionPolicy.base();
  policy.remove('consent');
  policy.add(new interactionPolicy.Prompt({ name: 'create', requestable: true }), 0);

  const configuration: Configuration = {
    adapter: (model) => createProviderAdapter(app, model),
    jwks: keys.jwks,
    clients: [
      {
        client_id: CONSOLE_CLIENT_ID,
        client_secret: clientSecret,
        client_name: config.productName,
        redirect_uris: [`${config.publicUrl}/auth/callback`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'client_secret_basic',
        id_token_signed_response_alg: 'ES256',
      },
    ],
    scopes: SCOPE.split(' '),
    claims: {
      openid: ['sub', 'session_uid'],
      profile: ['name', 'preferred_username', 'picture', 'updated_at'],
      email: ['email', 'email_verified'],
    },
    responseTypes: ['code'],
    // The ID token tells the whole profile, so that a sign-in needs one request to us and no more.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    clientAuthMethods: ['client_secret_basic'],
    cookies: {
      keys: keys.cookie_keys,
      names: { session: 'identity', interaction: 'identity_interaction', resume: 'identity_resume' },
      long: { path: IDENTITY_PATH, httpOnly: true, sameSite: 'lax', secure: isSecure, signed: true },
      short: { httpOnly: true, sameSite: 'lax', secure: isSecure, signed: true },
    },
    features: {
      devInteractions: off,
      dPoP: off,
      pushedAuthorizationRequests: off,
      resourceIndicators: off,
      rpInitiatedLogout: off,
      userinfo: { enabled: true },
    },
    ttl: {
      AccessToken: 5 * MINUTE,
      AuthorizationCode: MINUTE,
      IdToken: 5 * MINUTE,
      Interaction: HOUR,
      Session: 12 * HOUR,
      Grant: 12 * HOUR,
    },
    interactions: {
      policy,
      // The address says which form comes first, so that the page is right from its first paint.
      url: (_, { uid, prompt }) =>
        `${IDENTITY_PATH}/interaction/${uid}${prompt.name === 'create' ? '?register=true' : ''}`,
    },

    async findAccount(_, subject, token) {
      const account = await findAccountBySubject(db, subject);
      if (!account) return undefined;
      return {
        accountId: subject,
        claims: () => ({
          sub: subject,
          name: account.full_name,
          preferred_username: account.login,
          picture: account.avatar_url ?? undefined,
          updated_at: Math.floor(account.updated_at / 1000),
          email: account.email,
          email_verified: false,
          // Names this browser's session here, so that the console can end it when its own ends.
          session_uid: token && 'sessionUid' in token ? token.sessionUid : undefined,
        }),
      };
    },

    async loadExistingGrant({ oidc }) {
      const accountId = oidc.session?.accountId;
      const clientId = oidc.client?.clientId;
      if (!accountId || !clientId) return undefined;
      const knownId = oidc.session?.grantIdFor(clientId);
      const known = knownId ? await provider.Grant.find(knownId) : undefined;
      if (known?.accountId === accountId) return known;
      const grant = new provider.Grant({ accountId, clientId });
      grant.addOIDCScope(SCOPE);
      await grant.save();
      return grant;
    },

    renderError(ctx: KoaContextWithOIDC, _, error) {
      const code: ErrorCode = error.name === 'SessionNotFound' ? 'sign_in_expired' : 'sign_in_refused';
      ctx.status = 303;
      ctx.redirect(`${config.publicUrl}/login?error=${code}`);
    },
  };
  const provider = new Provider(`${config.publicUrl}${IDENTITY_PATH}`, configuration);
  // Host and scheme are set by create-identity-service.ts from PUBLIC_URL; the client's own forwarding headers are removed there.
  provider.proxy = true;
  provider.on('server_error', (_, error) => logger.error({ err: error }, 'identity provider failed'));
  return provider;
}
