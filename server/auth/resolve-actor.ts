import { nameAsker } from '#db/asker.ts';
import type { Actor, App } from '../context.ts';
import type { HeaderReader } from '../http/requests/header-reader.ts';
import { parseAuthorization } from '../http/requests/parse-authorization.ts';
import { requireSameOrigin } from '../http/requests/require-same-origin.ts';
import { authenticateCredential } from '../services/credentials/authenticate-credential.ts';
import { authenticateOperatorToken } from '../services/operator/authenticate-operator-token.ts';
import type { SessionPerson, Sessions } from './sessions.ts';
import type { MembershipRefresh } from './upstream/membership-refresh.ts';

/** What is needed to identify the actor of a request. */
export interface Auth {
  app: App;
  sessions: Sessions;
  /**
   * Keeps the memberships of an external issuer up to date; absent when people sign in with this
   * installation's own accounts.
   */
  memberships?: MembershipRefresh | null;
}

export interface ActorRequest {
  headers: HeaderReader;
  method: string;
  /** The client's address. */
  address: string;
}

/**
 * Returns the actor: the credential of the Authorization header (`Basic` or `Bearer public:secret`) or the
 * operator of its token (`Bearer ptgop_…`, in no other form), otherwise the person of the session cookie,
 * otherwise anonymous. A header that is present must be valid: it never falls back to the cookie. An unsafe
 * request by cookie must come from our own pages. From then on, the actor is the asker of the request.
 * @throws credential_invalid, too_many_requests, cross_site_request
 */
export async function resolveActor(auth: Auth, request: ActorRequest): Promise<Actor> {
  const actor = await identifyActor(auth, request);
  const asker = askerOf(actor);
  if (asker !== null) nameAsker(asker);
  return actor;
}

/** Of an organization, all its programs share one name. Null for an anonymous actor, who remains an address. */
function askerOf(actor: Actor): string | null {
  if (actor.kind === 'credential') return actor.organizationId;
  if (actor.kind === 'person') return actor.organizationId ?? actor.userId;
  return actor.kind === 'operator' ? 'operator' : null;
}

async function identifyActor(auth: Auth, { headers, method, address }: ActorRequest): Promise<Actor> {
  const authorization = headers.get('authorization');
  if (authorization !== null) {
    const presented = parseAuthorization(authorization);
    return presented.kind === 'operator'
      ? authenticateOperatorToken(auth.app, { token: presented.token, address })
      : authenticateCredential(auth.app, { ...presented, address });
  }
  const person = await findPerson(auth, headers.get('cookie'), address);
  if (!person) return { kind: 'anonymous' };
  requireSameOrigin(method, headers, auth.app.config.publicUrl);
  const { upstream: _, ...actor } = person;
  return actor;
}

/** Returns the session's person, with memberships as up to date as an external issuer allows. */
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
