import { createRemoteJWKSet, customFetch, decodeJwt, errors, jwtVerify } from 'jose';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { readBounded } from '../outgoing/read-bounded.ts';
import { type CiIdentity, readCiIdentity } from './ci-identity.ts';

/** Verifies identity tokens of code hosts' CI. */
export interface IdentityTokens {
  /**
   * Returns a token's identity, once its issuer is accepted here, its signature is the issuer's, and it is
   * valid now and for this installation.
   * @throws identity_token_refused saying why; service_unavailable when the issuer does not respond
   */
  check(token: string): Promise<CiIdentity>;
}

const TIMEOUT_MS = 5_000;
const BODY_BYTES_MAX = 256 * 1024;
/** Keys are read again after this long, and for an unknown key at most this often. */
const KEYS_KEPT_MS = 10 * 60_000;
const KEYS_ASKED_EVERY_MS = 30_000;
const CLOCK_TOLERANCE_SECONDS = 60;
/** GitHub's tokens live for minutes, GitLab's for the length of a job. */
const AGE_MAX = '1 hour';
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

const discoverySchema = z.object({ jwks_uri: z.url() });

/** The accepted issuers, and the audience that tokens must name. */
export interface IdentityTokenOptions {
  issuers: readonly string[];
  audience: string;
  now: () => number;
}

/** Returns the verification of tokens for an audience; only these issuers are ever contacted. */
export function createIdentityTokens(options: IdentityTokenOptions): IdentityTokens {
  const { issuers, audience, now } = options;
  const keysOf = new Map<string, Promise<ReturnType<typeof createRemoteJWKSet>>>();
  const findKeys = (issuer: string) => {
    const known = keysOf.get(issuer);
    if (known) return known;
    const found = discoverKeys(issuer);
    keysOf.set(issuer, found);
    // A failed read is repeated for the next token.
    found.catch(() => keysOf.delete(issuer));
    return found;
  };
  return {
    async check(token) {
      const issuer = issuerOf(token);
      if (!issuers.includes(issuer)) throw refused(`the issuer ${issuer} is not accepted here`);
      const keys = await findKeys(issuer).catch((error: unknown) => {
        throw unanswered(error);
      });
      const { payload } = await jwtVerify(token, keys, {
        // With or without a trailing slash: both occur.
        issuer: [issuer, `${issuer}/`],
        audience,
        algorithms: ALGORITHMS,
        maxTokenAge: AGE_MAX,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ['exp'],
        currentDate: new Date(now()),
      }).catch((error: unknown) => {
        if (isAboutToken(error)) throw refused(reasonOf(error, audience), error);
        throw unanswered(error);
      });
      const identity = readCiIdentity(payload);
      if (identity === null) throw refused('it does not name a repository and a branch');
      return identity;
    },
  };
}

function issuerOf(token: string): string {
  try {
    return (decodeJwt(token).iss ?? '').slice(0, 300).replace(/\/$/, '');
  } catch (error) {
    throw refused('it is not a signed identity token', error);
  }
}

async function discoverKeys(issuer: string): Promise<ReturnType<typeof createRemoteJWKSet>> {
  const response = await boundedFetch(`${issuer}/.well-known/openid-configuration`, {
    headers: { accept: 'application/json' },
  });
  if (!response.ok) throw new Error(`the issuer answers ${response.status}`);
  const { jwks_uri } = discoverySchema.parse(await response.json());
  const keys = new URL(jwks_uri);
  // An accepted issuer vouches for itself, not for others.
  if (keys.origin !== new URL(issuer).origin) throw new Error('the keys are not at the issuer');
  return createRemoteJWKSet(keys, {
    timeoutDuration: TIMEOUT_MS,
    cacheMaxAge: KEYS_KEPT_MS,
    cooldownDuration: KEYS_ASKED_EVERY_MS,
    [customFetch]: boundedFetch,
  });
}

/** A fetch with limits: in time, in bytes, and at the requested address only. */
async function boundedFetch(address: string, init: RequestInit): Promise<Response> {
  const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(init.signal ? [init.signal] : [])]);
  const response = await fetch(address, { ...init, signal, redirect: 'error' });
  const body = await readBounded(response, BODY_BYTES_MAX);
  return new Response(body, { status: response.status, headers: response.headers });
}

function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWTExpired ||
    error instanceof errors.JWTClaimValidationFailed ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys
  );
}

function reasonOf(error: unknown, audience: string): string {
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return error.claim === 'aud'
      ? `its audience is not ${audience}`
      : `its claim ${error.claim} is not valid`;
  }
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey) {
    return 'its signature is not the issuer’s';
  }
  return 'it is not a signed identity token';
}

function refused(reason: string, cause?: unknown): AppError {
  return new AppError('identity_token_refused', { reason }, [], { cause });
}

function unanswered(cause: unknown): AppError {
  return new AppError('service_unavailable', { seconds: 10 }, [], { cause });
}
