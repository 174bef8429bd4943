import { hash } from 'node:crypto';
import type { Adapter, DatabaseSession, DatabaseUser } from 'lucia';
import type { Executor } from '#db/client.ts';
import { preparedQuery } from '#db/prepared-query.ts';
import type { Clock } from '../clock.ts';

/** What a session carries besides its person and its end. Times are epoch milliseconds of our clock. */
export interface SessionAttributes {
  /** The row's id, by which verbs and the list of sessions refer to it. */
  rowId: string;
  organizationId: string | null;
  createdAt: number;
  lastUsedAt: number;
  absoluteExpiresAt: number;
  address: string;
  userAgent: string;
  identitySession: string | null;
}

/** What the lookup of a session returns about its person. */
export interface PersonAttributes {
  login: string;
  issuer: string;
  subject: string;
  membershipsSyncedAt: number | null;
  membershipsAttemptedAt: number | null;
}

/**
 * Returns the id under which a cookie's value is stored: its SHA-256, so that a copy of the table does not
 * allow signing in.
 */
export function hashSessionId(token: string): string {
  return hash('sha256', token, 'hex');
}

const selectSession = preparedQuery((executor, id: string) =>
  executor
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.id',
      'sessions.user_id',
      'sessions.organization_id',
      'sessions.expires_at',
      'sessions.absolute_expires_at',
      'sessions.created_at',
      'sessions.last_used_at',
      'sessions.address',
      'sessions.user_agent',
      'sessions.identity_session',
      'users.login',
      'users.issuer',
      'users.subject',
      'users.memberships_synced_at',
      'users.memberships_attempted_at',
    ])
    .where('sessions.id', '=', id),
);

/**
 * Returns lucia's adapter for our table. It adds what lucia lacks: ids are hashed, the absolute end limits
 * the sliding one, and the injected clock decides: lucia compares with the machine's clock, so times are
 * shifted to it.
 */
export function createSessionAdapter(executor: Executor, clock: Clock): Adapter {
  const toLucia = (instant: number) => new Date(instant - clock.now() + Date.now());
  const fromLucia = (date: Date) => date.getTime() - Date.now() + clock.now();
  return {
    async getSessionAndUser(token): Promise<[DatabaseSession | null, DatabaseUser | null]> {
      const [row] = await selectSession(executor, hashSessionId(token));
      if (!row) return [null, null];
      const attributes: SessionAttributes = {
        rowId: row.id,
        organizationId: row.organization_id,
        createdAt: row.created_at,
        lastUsedAt: row.last_used_at,
        absoluteExpiresAt: row.absolute_expires_at,
        address: row.address,
        userAgent: row.user_agent,
        identitySession: row.identity_session,
      };
      const expiresAt = toLucia(Math.min(row.expires_at, row.absolute_expires_at));
      const session = { id: token, userId: row.user_id, expiresAt, attributes };
      const person: PersonAttributes = {
        login: row.login,
        issuer: row.issuer,
        subject: row.subject,
        membershipsSyncedAt: row.memberships_synced_at,
        membershipsAttemptedAt: row.memberships_attempted_at,
      };
      return [session, { id: row.user_id, attributes: person }];
    },

    async getUserSessions() {
      // The cookies' values are not stored; sessions are listed by server/services/identity/sessions/list-sessions.ts.
      return [];
    },

    async setSession({ id, userId, expiresAt, attributes }) {
      const {
        organizationId,
        createdAt,
        lastUsedAt,
        absoluteExpiresAt,
        address,
        userAgent,
        identitySession,
      } = attributes;
      await executor
        .insertInto('sessions')
        .values({
          id: hashSessionId(id),
          user_id: userId,
          organization_id: organizationId,
          expires_at: Math.min(fromLucia(expiresAt), absoluteExpiresAt),
          absolute_expires_at: absoluteExpiresAt,
          created_at: createdAt,
          last_used_at: lastUsedAt,
          address,
          user_agent: userAgent,
          identity_session: identitySession,
        })
        .execute();
    },

    async updateSessionExpiration(token, expiresAt) {
      const end = fromLucia(expiresAt);
      await executor
        .updateTable('sessions')
        .set((eb) => ({
          expires_at: eb
            .case()
            .when('absolute_expires_at', '<', end)
            .then(eb.ref('absolute_expires_at'))
            .else(end)
            .end(),
        }))
        .where('id', '=', hashSessionId(token))
        .execute();
    },

    async deleteSession() {
      // Lucia asks for it when a session has ended. A job deletes such sessions: the clock may be wrong now, and the
      // session still valid after its correction.
    },

    async deleteUserSessions(userId) {
      await executor.deleteFrom('sessions').where('user_id', '=', userId).execute();
    },

    async deleteExpiredSessions() {
      await executor.deleteFrom('sessions').where('expires_at', '<=', clock.now()).execute();
    },
  };
}
