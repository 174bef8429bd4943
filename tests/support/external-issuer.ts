import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { SignJWT } from 'jose';
import Provider, { type Adapter, type AdapterPayload, type JWK } from 'oidc-provider';
import { listenOnFreePort } from './console-server.ts';

export interface ExternalIssuer {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Who signs in next, without being asked: claims with at least `sub`. */
  person: { sub: string; [claim: string]: unknown };
  /** Authorization requests seen so far. */
  requests: URL[];
  /** Returns a logout token as the issuer would send it; `claims` replaces single ones, undefined leaves them out. */
  signLogoutToken(claims: Record<string, unknown>): Promise<string>;
}

/** Starts somebody else's OpenID provider, on a path of its own, that lets `person` in at once. Stopped after the test. */
export async function startExternalIssuer(redirectUri: string): Promise<ExternalIssuer> {
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
    adapter: createMemoryAdapter(),
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' } as JWK] },
    cookies: { keys: ['external'] },
    clients: [
      { client_id: external.clientId, client_secret: external.clientSecret, redirect_uris: [redirectUri] },
    ],
    claims: { openid: ['sub'], profile: ['name', 'preferred_username', 'picture'], email: ['email'] },
    scopes: ['openid', 'profile', 'email'],
    features: { devInteractions: off },
    interactions: { url: (_, interaction) => `/enter/${interaction.uid}` },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => external.person }),
    ttl: { AccessToken: 60, AuthorizationCode: 60, IdToken: 60, Interaction: 60, Session: 60, Grant: 60 },
  });
  callback = provider.callback();
  return external;
}

function createMemoryAdapter(): (model: string) => Adapter {
  const stored = new Map<string, AdapterPayload>();
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
