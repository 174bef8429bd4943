import * as openid from 'openid-client';
import type { App } from '../context.ts';
import type { IdentityService } from '../identity/create-identity-service.ts';
import { EMBEDDED_ISSUER } from '../services/identity/rules.ts';
import type { SignedInIdentity } from '../services/identity/sign-in-user.ts';
import type { SignInFlow } from './sign-in-flow.ts';

/** Forgejo and Gitea remember what a person consented to by this string: it never changes. */
const CODE_HOST_SCOPE = 'openid profile email groups read:user read:organization';
const REDISCOVER_MS = 3_600_000;
const TIMEOUT_SECONDS = 10;

export interface OidcClient {
  /** Returns the issuer's name and where its keys are. */
  metadata(): Promise<{ issuer: string; jwks_uri?: string | undefined }>;
  /** Returns the issuer's address to send the browser to. */
  authorizationUrl(
    flow: SignInFlow,
    options: { isRegistration: boolean; uiLocales: string; loginHint: string | null },
  ): Promise<URL>;
  /** Returns who signed in, from a callback's address, after every check of OpenID Connect. @throws on any of them */
  exchange(
    callbackUrl: URL,
    flow: SignInFlow,
  ): Promise<{ identity: SignedInIdentity; identitySession: string | null }>;
}

/** Returns the console's OpenID Connect client: of the configured issuer, else of the embedded identity service. */
export function createOidcClient(app: App, identity: IdentityService | null): OidcClient {
  const { config } = app;
  const redirectUri = `${config.publicUrl}/auth/callback`;
  let discovered: { at: number; configuration: Promise<openid.Configuration> } | null = null;

  const discover = (): Promise<openid.Configuration> => {
    const settings = config.oidc ?? identity;
    if (!settings) throw new Error('there is neither an issuer nor an embedded identity service');
    const { issuer, clientId, clientSecret } = settings;
    const isInsecure = issuer.startsWith('http:');
    const options: openid.DiscoveryRequestOptions = {
      timeout: TIMEOUT_SECONDS,
      execute: isInsecure ? [openid.allowInsecureRequests] : [],
    };
    if (!config.oidc && identity) options[openid.customFetch] = identity.fetch;
    const authentication = clientSecret ? openid.ClientSecretBasic(clientSecret) : openid.None();
    const metadata = identity && !config.oidc ? { id_token_signed_response_alg: 'ES256' } : {};
    const ask = (address: string) =>
      openid.discovery(new URL(address), clientId, metadata, authentication, options);
    return ask(issuer).catch((error: unknown) => {
      // Configuration drops a final slash; where it is part of the issuer's name, the name without it does not match.
      const isOtherName =
        error instanceof openid.ClientError && error.code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED';
      return isOtherName ? ask(`${issuer}/`) : Promise.reject(error);
    });
  };

  /** The issuer's metadata, asked for again every hour and after a failure. */
  const configurationOf = async (): Promise<openid.Configuration> => {
    const now = Date.now();
    if (!discovered || now - discovered.at > REDISCOVER_MS)
      discovered = { at: now, configuration: discover() };
    try {
      return await discovered.configuration;
    } catch (error) {
      discovered = null;
      throw error;
    }
  };

  return {
    metadata: async () => (await configurationOf()).serverMetadata(),

    async authorizationUrl(flow, { isRegistration, uiLocales, loginHint }) {
      const configuration = await configurationOf();
      const metadata = configuration.serverMetadata();
      const parameters: Record<string, string> = {
        redirect_uri: redirectUri,
        scope: config.codeHostUrl ? CODE_HOST_SCOPE : 'openid profile email',
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(flow.codeVerifier),
        code_challenge_method: 'S256',
        ui_locales: uiLocales,
      };
      // Issuers that do not know the value may refuse the whole request.
      const prompts = metadata.prompt_values_supported;
      const knowsCreate = !config.oidc || (Array.isArray(prompts) && prompts.includes('create'));
      if (isRegistration && knowsCreate) parameters.prompt = 'create';
      if (loginHint) parameters.login_hint = loginHint;
      return openid.buildAuthorizationUrl(configuration, parameters);
    },

    async exchange(callbackUrl, flow) {
      const configuration = await configurationOf();
      const tokens = await openid.authorizationCodeGrant(configuration, callbackUrl, {
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        pkceCodeVerifier: flow.codeVerifier,
      });
      const idToken = tokens.claims();
      if (!idToken) throw new Error('the issuer sent no ID token');
      const isComplete = idToken.name !== undefined && idToken.preferred_username !== undefined;
      const userInfo =
        isComplete || !configuration.serverMetadata().userinfo_endpoint
          ? {}
          : await openid.fetchUserInfo(configuration, tokens.access_token, idToken.sub);
      const claims: Record<string, unknown> = { ...idToken, ...userInfo };
      const issuer = config.oidc ? idToken.iss : EMBEDDED_ISSUER;
      return {
        identity: { issuer, subject: idToken.sub, ...profileOf(claims, idToken.sub) },
        identitySession: text(config.oidc ? claims.sid : claims.session_uid),
      };
    },
  };
}

/** Returns a profile from claims that may be missing or of any form. */
function profileOf(
  claims: Record<string, unknown>,
  subject: string,
): Omit<SignedInIdentity, 'issuer' | 'subject'> {
  const email = text(claims.email) ?? '';
  const login = text(claims.preferred_username) ?? text(claims.nickname) ?? (email.split('@')[0] || subject);
  const picture = text(claims.picture);
  const isPicture = picture !== null && /^https?:\/\//.test(picture) && URL.canParse(picture);
  return { login, full_name: text(claims.name) ?? login, email, avatar_url: isPicture ? picture : null };
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 500) : null;
}
