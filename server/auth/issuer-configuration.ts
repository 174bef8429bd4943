import * as openid from 'openid-client';
import type { App } from '../context.ts';
import { HOUR_MS } from '../durations.ts';
import type { IdentityService } from '../identity/create-identity-service.ts';

const REDISCOVER_MS = HOUR_MS;
const TIMEOUT_SECONDS = 10;

/**
 * Returns a function that reads the metadata of the issuer, or of the embedded identity service if none is
 * configured. The metadata is cached for an hour, and read again after a failure.
 */
export function readIssuerConfiguration(
  app: App,
  identity: IdentityService | null,
): () => Promise<openid.Configuration> {
  // An issuer's refusal is a response; only a network error, or the deadline in `init`, throws.
  const circuit = app.outgoing.circuit('issuer', () => true);
  const fetchFromIssuer: openid.CustomFetch = (url, init) =>
    circuit.run(() => fetch(url, init as RequestInit));
  const { oidc } = app.config;
  const isEmbedded = !oidc && identity !== null;
  const settings = oidc ?? identity;
  let discovered: { at: number; configuration: Promise<openid.Configuration> } | null = null;

  const discover = (): Promise<openid.Configuration> => {
    if (!settings) throw new Error('there is neither an issuer nor an embedded identity service');
    const { issuer, clientId, clientSecret } = settings;
    const options: openid.DiscoveryRequestOptions = {
      timeout: TIMEOUT_SECONDS,
      execute: issuer.startsWith('http:') ? [openid.allowInsecureRequests] : [],
    };
    options[openid.customFetch] = isEmbedded ? identity.fetch : fetchFromIssuer;
    const authentication = clientSecret ? openid.ClientSecretBasic(clientSecret) : openid.None();
    const metadata = isEmbedded ? { id_token_signed_response_alg: 'ES256' } : {};
    const ask = (address: string) =>
      openid.discovery(new URL(address), clientId, metadata, authentication, options);
    return ask(issuer).catch((error: unknown) => {
      // The configuration drops a trailing slash; if it is part of the issuer's name, the name without it
      // does not match.
      const isOtherName =
        error instanceof openid.ClientError && error.code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED';
      return isOtherName ? ask(`${issuer}/`) : Promise.reject(error);
    });
  };

  return async () => {
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
}
