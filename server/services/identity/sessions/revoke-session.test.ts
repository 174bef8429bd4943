import { describe, expect, it } from 'vitest';
import { createSessions } from '#server/auth/sessions.ts';
import type { RequestContext } from '#server/context.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, type TestPerson } from '#tests/support/app/test-person.ts';
import { deleteExpiredSignIns } from '../sign-in/delete-expired-sign-ins.ts';
import { listSessions } from './list-sessions.ts';
import { revokeSession } from './revoke-session.ts';

const DAY = 86_400_000;

async function openSession(app: TestApp, person: TestPerson, identitySession: string | null = null) {
  const { cookie } = await createSessions(app).create(app.db, {
    userId: person.user.id,
    organizationId: null,
    address: '198.51.100.4',
    userAgent: 'another browser',
    identitySession,
  });
  const actor = await createSessions(app).validate(cookie);
  if (!actor) throw new Error('not valid');
  return { cookie, actor };
}

async function prepare() {
  const app = await createTestApp();
  const ada = await createTestPerson(app);
  const context: RequestContext = { ...ada.context };
  return { app, ada, context };
}

describe('the list of sessions', () => {
  it('shows the person’s own active ones, the current one first, and nothing that grants access', async () => {
    const { app, ada, context } = await prepare();
    app.clock.advance(DAY);
    const other = await openSession(app, ada);
    await createTestPerson(app);
    const sessions = await listSessions(context);
    expect(sessions.map((session) => [session.user_agent, session.is_current])).toEqual([
      ['test', true],
      ['another browser', false],
    ]);
    expect(sessions[1]).toMatchObject({
      address: '198.51.100.4',
      created_at: new Date(app.clock.now()).toISOString(),
    });
    expect(JSON.stringify(sessions)).not.toContain(other.cookie.split(';')[0]?.split('=')[1]);
  });

  it('leaves out what has expired', async () => {
    const { app, ada, context } = await prepare();
    app.clock.advance(10 * DAY);
    await openSession(app, ada);
    app.clock.advance(5 * DAY);
    expect((await listSessions(context)).map((session) => session.user_agent)).toEqual(['another browser']);
  });

  it('is for people only', async () => {
    const { context } = await prepare();
    const nobody = listSessions({ ...context, actor: { kind: 'anonymous' } });
    await expect(nobody).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

describe('revoking a session', () => {
  it('ends it immediately, records it, and leaves the others', async () => {
    const { app, ada, context } = await prepare();
    const other = await openSession(app, ada);
    await revokeSession(context, { session_id: other.actor.sessionId });
    expect(await createSessions(app).validate(other.cookie)).toBeNull();
    expect(await createSessions(app).validate(ada.sessionCookie)).not.toBeNull();
    const [row] = await app.db
      .selectFrom('audit_events')
      .selectAll()
      .where('action', '=', 'session.revoke')
      .execute();
    expect(row).toMatchObject({ actor_id: ada.user.id, resource_id: other.actor.sessionId });
  });

  it('makes the identity service forget that browser, and no other', async () => {
    const { app, ada, context } = await prepare();
    const remember = (uid: string) =>
      app.db
        .insertInto('identity_payloads')
        .values({
          model: 'Session',
          id: `id-${uid}`,
          payload: '{}',
          uid,
          grant_id: null,
          user_code: null,
          consumed_at: null,
          expires_at: null,
        })
        .execute();
    await remember('here');
    await remember('there');
    const other = await openSession(app, ada, 'there');
    await revokeSession(context, { session_id: other.actor.sessionId });
    const left = await app.db.selectFrom('identity_payloads').select('uid').execute();
    expect(left).toEqual([{ uid: 'here' }]);
  });

  it('refuses another person’s session, an unknown one and one that has ended, and changes nothing', async () => {
    const { app, ada, context } = await prepare();
    const bob = await createTestPerson(app);
    for (const session_id of [bob.actor.sessionId, 'unknown']) {
      await expect(revokeSession(context, { session_id })).rejects.toMatchObject({
        code: 'session_not_found',
      });
    }
    expect(await createSessions(app).validate(bob.sessionCookie)).not.toBeNull();
    await revokeSession(context, { session_id: ada.actor.sessionId });
    const again = revokeSession(context, { session_id: ada.actor.sessionId });
    await expect(again).rejects.toMatchObject({ code: 'session_not_found' });
  });

  it('twice at the same time ends it once', async () => {
    const { app, ada, context } = await prepare();
    const other = await openSession(app, ada);
    const both = await Promise.allSettled(
      [1, 2].map(() => revokeSession(context, { session_id: other.actor.sessionId })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('the clean-up of sign-ins', () => {
  it('removes sessions and states of the identity service that have expired, and no others', async () => {
    const { app, ada } = await prepare();
    const state = {
      model: 'Interaction',
      payload: '{}',
      uid: null,
      grant_id: null,
      user_code: null,
      consumed_at: null,
    };
    const now = app.clock.now();
    await app.db
      .insertInto('identity_payloads')
      .values([
        { ...state, id: 'old', expires_at: now + DAY },
        { ...state, id: 'new', expires_at: now + 30 * DAY },
        { ...state, id: 'endless', expires_at: null },
      ])
      .execute();
    app.clock.advance(15 * DAY);
    const fresh = await openSession(app, ada);
    expect(await deleteExpiredSignIns(app)).toBe(2);
    expect(await createSessions(app).validate(fresh.cookie)).not.toBeNull();
    const left = await app.db.selectFrom('identity_payloads').select('id').orderBy('id').execute();
    expect(left.map((row) => row.id)).toEqual(['endless', 'new']);
  });
});
