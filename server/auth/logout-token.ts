import { createRemoteJWKSet, jwtVerify } from 'jose';
import { AppError } from '../errors.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** How old a token may be: issuers send it immediately. */
const AGE_MAX = '5 minutes';

/** Who was signed out at the issuer: one browser's session there, or all of a person's. */
export interface LogoutNotice {
  issuer: string;
  subject: string | null;
  identitySession: string | null;
}

/**
 * Returns a function that checks a logout token as OpenID Connect Back-Channel Logout 1.0 (section 2.6)
 * requires. A replayed token has no further effect, so its `jti` is not kept.
 */
export function createLogoutTokenCheck(
  clientId: string,
  metadataOf: () => Promise<{ issuer: string; jwks_uri?: string | undefined }>,
): (token: string) => Promise<LogoutNotice> {
  let keys: { address: string; find: ReturnType<typeof createRemoteJWKSet> } | null = null;
  return async (token) => {
    const { issuer, jwks_uri: address } = await metadataOf();
    if (!address) throw new AppError('sign_in_unavailable');
    if (keys?.address !== address) keys = { address, find: createRemoteJWKSet(new URL(address)) };
    const { payload } = await jwtVerify(token, keys.find, {
      issuer,
      audience: clientId,
      maxTokenAge: AGE_MAX,
      clockTolerance: 30,
    }).catch((error: unknown) => {
      throw refused('the logout token is not valid', error);
    });
    const { sub, sid, events } = payload;
    const isLogout = typeof events === 'object' && events !== null && EVENT in events;
    // A nonce marks an ID token, which must never pass for a logout token.
    if (!isLogout || 'nonce' in payload) throw refused('this is not a logout token');
    const identitySession = typeof sid === 'string' && sid !== '' ? sid : null;
    if (!sub && !identitySession) throw refused('the logout token names neither a person nor a session');
    return { issuer, subject: sub ?? null, identitySession };
  };
}

function refused(reason: string, cause?: unknown): AppError {
  return new AppError('invalid_input', { reason }, [], { cause });
}
