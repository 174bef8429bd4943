import * as openid from 'openid-client';
import type { Config } from '../config/config.ts';
import type { App } from '../context.ts';
import type { IdentityService } from '../identity/create-identity-service.ts';
import { EMBEDDED_ISSUER } from '../services/identity/rules.ts';
import type { SignedInIdentity } from '../services/identity/sign-in/sign-in-user.ts';
import { readIssuerConfiguration } from './issuer-configuration.ts';
import type { SignInFlow } from './sign-in-flow.ts';
import { toUpstreamError } from './upstream/to-upstream-error.ts';
import { textOrNull, webAddressOrNull } from './upstream/web-address.ts';

export type Claims = Record<string, unknown>;

/** What an issuer's token endpoint returns. */
export interface IssuedTokens {
  accessToken: string;
  refreshToken: string | null;
  /** Null when the issuer does not say. */
  accessExpiresAt: number | null;
  /** The claims of the ID token; null when none was sent. */
  idToken: Claims | null;
}

/** Who signed in, and everything that the issuer sent with it. */
export interface Exchange {
  identity: SignedInIdentity;
  identitySession: string | null;
  tokens: IssuedTokens;
  /** What the userinfo endpoint returned; null when it was not called. */
  userInfo: Claims | null;
}

/** Forgejo and Gitea store a person's consent under this string: it never changes. */
const CODE_HOST_SCOPE = 'openid profile email groups read:user read:organization';

export interface OidcClient {
  /** Returns the issuer's name and the address of its keys. */
  metadata(): Promise<{ issuer: string; jwks_uri?: string | undefined }>;
  /** Returns the issuer's address to send the browser to. */
  authorizationUrl(
    flow: SignInFlow,
    options: { isRegistration: boolean; uiLocales: string; loginHint: string | null },
  ): Promise<URL>;
  /**
   * Returns who signed in, from a callback's address, after every check of OpenID Connect.
   * @throws on any of them
   */
  exchange(callbackUrl: URL, flow: SignInFlow): Promise<Exchange>;
  /** Returns new tokens for a person's refresh token. @throws UpstreamError */
  refresh(refreshToken: string, subject: string): Promise<IssuedTokens>;
  /**
   * Returns the issuer's current claims about a person; null when it has no such endpoint.
   * @throws UpstreamError
   */
  userInfo(accessToken: string, subject: string): Promise<Claims | null>;
}

/**
 * Returns the console's OpenID Connect client: of the configured issuer, otherwise of the embedded identity
 * service.
 */
export function createOidcClient(app: App, identity: IdentityService | null): OidcClient {
  const { config } = app;
  const redirectUri = `${config.publicUrl}/auth/callback`;
  const configurationOf = readIssuerConfiguration(app, identity);

  return app.outgoing.outsideTransactions<OidcClient>('issuer', {
    metadata: async () => (await configurationOf()).serverMetadata(),

    async authorizationUrl(flow, { isRegistration, uiLocales, loginHint }) {
      const configuration = await configurationOf();
      const metadata = configuration.serverMetadata();
      const parameters: Record<string, string> = {
        redirect_uri: redirectUri,
        scope: scopeFor(config, metadata.scopes_supported),
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(flow.codeVerifier),
        code_challenge_method: 'S256',
        ui_locales: uiLocales,
      };
      // Issuers that do not support the value may refuse the whole request.
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
          ? null
          : await openid.fetchUserInfo(configuration, tokens.access_token, idToken.sub);
      const claims: Claims = { ...idToken, ...userInfo };
      const issuer = config.oidc ? idToken.iss : EMBEDDED_ISSUER;
      return {
        identity: { issuer, subject: idToken.sub, ...profileOf(claims, idToken.sub) },
        identitySession: text(config.oidc ? claims.sid : claims.session_uid),
        tokens: toIssuedTokens(tokens, app.clock.now()),
        userInfo,
      };
    },

    async refresh(refreshToken, subject) {
      try {
        const configuration = await configurationOf();
        const response = await openid.refreshTokenGrant(configuration, refreshToken);
        const tokens = toIssuedTokens(response, app.clock.now());
        if (tokens.idToken && tokens.idToken.sub !== subject)
          throw new Error('the ID token is for someone else');
        return tokens;
      } catch (error) {
        throw toUpstreamError('refresh', error);
      }
    },

    async userInfo(accessToken, subject) {
      try {
        const configuration = await configurationOf();
        if (!configuration.serverMetadata().userinfo_endpoint) return null;
        return await openid.fetchUserInfo(configuration, accessToken, subject);
      } catch (error) {
        throw toUpstreamError('userinfo', error);
      }
    },
  });
}

function toIssuedTokens(
  tokens: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers,
  now: number,
): IssuedTokens {
  const seconds = tokens.expiresIn();
  return {
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? null,
    accessExpiresAt: seconds === undefined ? null : now + seconds * 1000,
    idToken: tokens.claims() ?? null,
  };
}

/** The scope of a sign-in. An issuer may refuse a scope that it does not support. */
function scopeFor(config: Config, supported: readonly string[] | undefined): string {
  if (config.codeHostUrl) return CODE_HOST_SCOPE;
  const isOffered = config.oidc !== null && Array.isArray(supported) && supported.includes('groups');
  return isOffered ? 'openid profile email groups' : 'openid profile email';
}

/** Returns a profile from claims that may be missing or of any type. */
function profileOf(claims: Claims, subject: string): Omit<SignedInIdentity, 'issuer' | 'subject'> {
  const known = partialProfileOf(claims);
  const email = known.email ?? '';
  const login = known.login ?? (email.split('@')[0] || subject);
  return { login, full_name: known.full_name ?? login, email, avatar_url: known.avatar_url ?? null };
}

/** Returns the parts of a profile that the claims contain; others are absent. */
export function partialProfileOf(claims: Claims): Partial<Omit<SignedInIdentity, 'issuer' | 'subject'>> {
  const login = text(claims.preferred_username) ?? text(claims.nickname);
  const fullName = text(claims.name);
  const email = text(claims.email);
  return {
    ...(login && { login }),
    ...(fullName && { full_name: fullName }),
    ...(email && { email }),
    ...('picture' in claims && { avatar_url: webAddressOrNull(text(claims.picture)) }),
  };
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? textOrNull(value, 500) : null;
}
