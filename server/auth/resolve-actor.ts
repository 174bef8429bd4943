import type { Actor, App } from '../context.ts';
import { AppError } from '../errors.ts';
import { authenticateCredential } from '../services/credentials/authenticate-credential.ts';
import { authenticateOperatorToken } from '../services/operator/authenticate-operator-token.ts';
import { OPERATOR_TOKEN_PREFIX } from '../services/operator/rules.ts';
import { requireSameOrigin } from './require-same-origin.ts';
import type { SessionPerson, Sessions } from './sessions.ts';
import type { MembershipRefresh } from './upstream/membership-refresh.ts';

/** What deciding who asks needs. */
export interface Auth {
  app: App;
  sessions: Sessions;
  /** Keeps the memberships of an external issuer fresh; absent where people sign in with us. */
  memberships?: MembershipRefresh | null;
}

export interface ActorRequest {
  headers: Headers;
  method: string;
  /** The client's address. */
  address: string;
}

/**
 * Returns who asks: the credential of the Authorization header (`Basic` or `Bearer public:secret`) or the operator of its
 * token (`Bearer ptgop_…`, in no other form), else the person of the session cookie, else nobody. A header that is there
 * must be right: it never falls back to the cookie. An unsafe request by cookie must come from our own pages.
 * @throws credential_invalid, too_many_requests, cross_site_request
 */
export async function resolveActor(auth: Auth, { headers, method, address }: ActorRequest): Promise<Actor> {
  const authorization = headers.get('authorization');
  if (authorization !== null) {
    const operatorToken = readOperatorToken(authorization);
    if (operatorToken !== null) return authenticateOperatorToken(auth.app, { token: operatorToken, address });
    const { publicKey, secretKey } = parseAuthorization(authorization);
    return authenticateCredential(auth.app, { publicKey, secretKey, address });
  }
  const person = await findPerson(auth, headers.get('cookie'), address);
  if (!person) return { kind: 'anonymous' };
  requireSameOrigin(method, headers, auth.app.config.publicUrl);
  const { upstream: _, ...actor } = person;
  return actor;
}

/** Returns the session's person, with memberships as fresh as an external issuer lets them be. */
async function findPerson(
  { sessions, memberships }: Auth,
  cookie: string | null,
  address: string,
): Promise<SessionPerson | null> {
  if (cookie === null) return null;
  const person = await sessions.validate(cookie);
  if (!person || !memberships || !(await memberships.before(person, address))) return person;
  // The issuer was asked meanwhile: it may have ended the session, or changed the login.
  return sessions.validate(cookie);
}

/** Returns what is presented as an operator token, or null when the header is something else. */
function readOperatorToken(header: string): string | null {
  const [, value = ''] = /^bearer +(\S+)$/i.exec(header.trim()) ?? [];
  return value.startsWith(OPERATOR_TOKEN_PREFIX) ? value : null;
}

/** Returns the key pair of an Authorization header. @throws credential_invalid for any other form */
function parseAuthorization(header: string): { publicKey: string; secretKey: string } {
  const [, scheme = '', value = ''] = /^(\S+) +(\S+)$/.exec(header.trim()) ?? [];
  const pair = scheme.toLowerCase() === 'basic' ? Buffer.from(value, 'base64').toString('utf8') : value;
  const colon = pair.indexOf(':');
  const isKnownScheme = /^(basic|bearer)$/i.test(scheme);
  if (!isKnownScheme || colon < 1 || colon === pair.length - 1) throw new AppError('credential_invalid');
  return { publicKey: pair.slice(0, colon), secretKey: pair.slice(colon + 1) };
}
