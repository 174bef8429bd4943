import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { SignJWT } from 'jose';
import Provider, { type Adapter, type AdapterPayload, type JWK } from 'oidc-provider';
import { listenOnFreePort } from '../server/console-server.ts';

export interface ExternalIssuer {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Who signs in next, without a prompt: claims with at least `sub`. */
  person: { sub: string; [claim: string]: unknown };
  /** Authorization requests seen so far. */
  requests: URL[];
  /** The grant types requested from its token endpoint. */
  grantTypes: string[];
  /** Revokes the tokens issued so far: the access tokens, the refresh tokens, or both. */
  revoke(kind: 'access' | 'refresh' | 'all'): void;
  /** How many refresh tokens were issued and are unused. */
  unusedRefreshTokens(): number;
  /** Stops responding until it comes back at the same address. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  /** Returns a logout token like the issuer's; `claims` replaces individual claims, undefined omits them. */
  signLogoutToken(claims: Record<string, unknown>): Promise<string>;
}

export interface ExternalIssuerOptions {
  /** Scopes that it supports in addition to the usual ones. */
  scopes?: string[];
  /** Whether it issues refresh tokens; each works once. */
  refreshes?: boolean;
  /** Whether `groups` is returned by the userinfo endpoint or included in the ID token. */
  groupsIn?: 'userinfo' | 'id_token';
  /** Whether the ID token contains the whole profile, so that userinfo is not needed. */
  fullIdToken?: boolean;
  /** How long an access token is valid. */
  accessSeconds?: number;
  /** Responds to a path outside OpenID Connect, for the holder of a token; returns false for the others. */
  answer?: (
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    subjectOf: (token: string) => Promise<string | null>,
  ) => Promise<boolean>;
}

/**
 * Starts an external OpenID provider, on a path of its own, that signs `person` in at once. Stopped after the
 * test.
 */
export async function startExternalIssuer(
  redirectUri: string,
  options: ExternalIssuerOptions = {},
): Promise<ExternalIssuer> {
  const {
    scopes = [],
    refreshes = false,
    groupsIn,
    fullIdToken = false,
    accessSeconds = 60,
    answer,
  } = options;
  const stored = new Map<string, AdapterPayload>();
  let callback: ReturnType<Provider['callback']> | undefined;
  let provider: Provider | undefined;
  const external: ExternalIssuer = {
    issuer: '',
    clientId: 'portage',
    clientSecret: 'the secret of the external client',
    person: {
      sub: 'auth0|f00',
      name: 'Grace Hopper',
      preferred_username: 'grace',
      email: 'grace@example.ca',
    },
    requests: [],
    grantTypes: [],
    revoke: (kind) => {
      for (const [name] of stored) {
        const isAccess = name.startsWith('AccessToken ');
        const isRefresh = name.startsWith('RefreshToken ');
        if ((isAccess && kind !== 'refresh') || (isRefresh && kind !== 'access')) stored.delete(name);
      }
    },
    unusedRefreshTokens: () =>
      [...stored].filter(([name, { consumed }]) => name.startsWith('RefreshToken ') && !consumed).length,
    goAway: () => stopListening(server),
    comeBack: () =>
      new Promise((resolve) => server.listen(Number(new URL(external.issuer).port), '127.0.0.1', resolve)),
    signLogoutToken: (claims) => {
      const event = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      const now = Math.floor(Date.now() / 1000);
      const token = {
        iss: external.issuer,
        aud: external.clientId,
        iat: now,
        exp: now + 120,
        jti: 'j',
        events: event,
      };
      return new SignJWT({ ...token, ...claims })
        .setProtectedHeader({ alg: 'RS256', typ: 'logout+jwt' })
        .sign(privateKey);
    },
  };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', external.issuer);
    if (url.pathname === '/auth') external.requests.push(url);
    const subjectOf = async (token: string) => (await provider?.AccessToken.find(token))?.accountId ?? null;
    if (await answer?.(request, response, url, subjectOf)) return;
    if (url.pathname.startsWith('/enter/') && provider) {
      const accountId = external.person.sub;
      const { params } = await provider.interactionDetails(request, response);
      const grant = new provider.Grant({ accountId, clientId: external.clientId });
      grant.addOIDCScope(String(params.scope));
      const consent = { grantId: await grant.save() };
      await provider.interactionFinished(request, response, { login: { accountId }, consent });
      return;
    }
    await callback?.(request, response);
  });
  external.issuer = await listenOnFreePort(server);
  const off = { enabled: false };
  provider = new Provider(external.issuer, {
    adapter: createMemoryAdapter(stored),
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' } as JWK] },
    cookies: { keys: ['external'] },
    clients: [
      {
        client_id: external.clientId,
        client_secret: external.clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', ...(refreshes ? ['refresh_token'] : [])],
      },
    ],
    claims: {
      openid: ['sub', ...(groupsIn ? ['groups'] : [])],
      profile: ['name', 'preferred_username', 'picture'],
      email: ['email'],
    },
    scopes: ['openid', 'profile', 'email', ...scopes],
    conformIdTokenClaims: !fullIdToken,
    issueRefreshToken: async () => refreshes,
    rotateRefreshToken: true,
    features: { devInteractions: off },
    interactions: { url: (_, interaction) => `/enter/${interaction.uid}` },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: (use) => {
        const { groups, ...claims } = external.person;
        return groupsIn === use ? { ...claims, groups } : claims;
      },
    }),
    ttl: {
      AccessToken: accessSeconds,
      AuthorizationCode: 60,
      IdToken: 60,
      Interaction: 60,
      RefreshToken: 3600,
      Session: 60,
      Grant: 3600,
    },
  });
  const noteGrantType = (context: { oidc: { params?: Record<string, unknown> | undefined } }) =>
    external.grantTypes.push(String(context.oidc.params?.grant_type));
  provider.on('grant.success', noteGrantType);
  provider.on('grant.error', noteGrantType);
  callback = provider.callback();
  return external;
}

async function stopListening(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

function createMemoryAdapter(stored: Map<string, AdapterPayload>): (model: string) => Adapter {
  return (model) => {
    const key = (id: string) => `${model} ${id}`;
    const byUid = (uid: string) =>
      [...stored].find(([name, value]) => name.startsWith(model) && value.uid === uid)?.[1];
    return {
      upsert: async (id, payload) => void stored.set(key(id), payload),
      find: async (id) => stored.get(key(id)),
      findByUid: async (uid) => byUid(uid),
      findByUserCode: async () => undefined,
      consume: async (id) => void stored.set(key(id), { ...stored.get(key(id)), consumed: 1 }),
      destroy: async (id) => void stored.delete(key(id)),
      revokeByGrantId: async () => undefined,
    };
  };
}
