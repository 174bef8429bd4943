import { Lucia, TimeSpan } from 'lucia';
import type { Executor } from '#db/client.ts';
import type { App, PersonActor } from '../context.ts';
import { DAY_MS } from '../durations.ts';
import { cookieName, parseCookies, serializeCookie } from '../http/requests/cookies.ts';
import { EMBEDDED_ISSUER } from '../services/identity/rules.ts';
import { endOldestSessions } from '../services/identity/sessions/end-oldest-sessions.ts';
import type { MembershipTimes } from '../services/identity/sign-in/membership-rules.ts';
import { createSessionAdapter, type PersonAttributes, type SessionAttributes } from './session-adapter.ts';

const SLIDING_DAYS = 14;
const ABSOLUTE_DAYS = 90;
/** The precision of `last_used_at` and the sliding end; reads in between write nothing. */
const TOUCH_STEP_MS = 5 * 60_000;
/** The form of lucia's tokens: 25 random bytes in lower-case base32. Anything else is not looked up. */
const TOKEN_FORM = /^[a-z0-9]{40}$/;

declare module 'lucia' {
  interface Register {
    Lucia: Lucia<SessionAttributes, PersonAttributes>;
    DatabaseSessionAttributes: SessionAttributes;
    DatabaseUserAttributes: PersonAttributes;
  }
}

export interface NewSession {
  userId: string;
  organizationId: string | null;
  address: string;
  userAgent: string;
  /** The browser's session at the identity service, which ends together with this one. */
  identitySession: string | null;
}

/** Where a person's memberships are managed when not here, and when they were last read. */
export interface UpstreamState extends MembershipTimes {
  issuer: string;
  subject: string;
}

/** The person of a session. `upstream` is null for accounts of this installation. */
export interface SessionPerson extends PersonActor {
  upstream: UpstreamState | null;
}

/** The browser's sessions: 14 days from the last use, 90 days at most. Only this file uses lucia. */
export interface Sessions {
  /**
   * Opens a session under a new id and returns the Set-Cookie value that carries it. Beyond the person's
   * limit, the least recently used one ends.
   */
  create(executor: Executor, session: NewSession): Promise<{ cookie: string }>;
  /**
   * Returns the person of a Cookie header; null when it has no session or an unknown, ended or malformed one,
   * and for a person whose identity service is no longer configured: that service could no longer end the
   * session or the memberships.
   */
  validate(cookieHeader: string | null): Promise<SessionPerson | null>;
  /** Returns the Set-Cookie value that removes the session from the browser. */
  blankCookie(): string;
}

export function createSessions(app: App): Sessions {
  const { db, clock, config } = app;
  const isSecure = config.publicUrl.startsWith('https:');
  const isEmbedded = config.oidc === null;
  const name = cookieName('session', isSecure);
  const luciaOn = (executor: Executor) =>
    new Lucia(createSessionAdapter(executor, clock), {
      sessionExpiresIn: new TimeSpan(SLIDING_DAYS, 'd'),
      getSessionAttributes: (attributes) => attributes,
      getUserAttributes: (attributes) => attributes,
    });
  const lucia = luciaOn(db);

  return {
    async create(executor, { userId, organizationId, address, userAgent, identitySession }) {
      const now = clock.now();
      const session = await luciaOn(executor).createSession(userId, {
        rowId: '',
        organizationId,
        createdAt: now,
        lastUsedAt: now,
        absoluteExpiresAt: now + ABSOLUTE_DAYS * DAY_MS,
        address,
        userAgent: userAgent.slice(0, 300),
        identitySession,
      });
      await endOldestSessions(executor, userId, config.personLimits.sessionsMax);
      // The browser keeps it until the absolute end; the table decides when it expires.
      const maxAgeSeconds = ABSOLUTE_DAYS * (DAY_MS / 1000);
      return { cookie: serializeCookie(name, session.id, { isSecure, maxAgeSeconds }) };
    },

    async validate(cookieHeader) {
      const token = parseCookies(cookieHeader).get(name);
      if (token === undefined || !TOKEN_FORM.test(token)) return null;
      const { session, user } = await lucia.validateSession(token);
      if (!session || (user.issuer === EMBEDDED_ISSUER) !== isEmbedded) return null;
      const now = clock.now();
      if (now - session.lastUsedAt >= TOUCH_STEP_MS) {
        const expiresAt = Math.min(now + SLIDING_DAYS * DAY_MS, session.absoluteExpiresAt);
        await db
          .updateTable('sessions')
          .set({ last_used_at: now, expires_at: expiresAt })
          .where('id', '=', session.rowId)
          .execute();
      }
      return {
        kind: 'person',
        userId: user.id,
        login: user.login,
        sessionId: session.rowId,
        organizationId: session.organizationId,
        upstream: upstreamOf(user),
      };
    },

    blankCookie: () => serializeCookie(name, '', { isSecure, maxAgeSeconds: 0 }),
  };
}

function upstreamOf(person: PersonAttributes): UpstreamState | null {
  const { issuer, subject, membershipsSyncedAt, membershipsAttemptedAt } = person;
  if (issuer === EMBEDDED_ISSUER) return null;
  return { issuer, subject, syncedAt: membershipsSyncedAt, attemptedAt: membershipsAttemptedAt };
}
