import { describe, expect, it } from 'vitest';
import { createSessions } from '#server/auth/sessions.ts';
import type { RequestContext } from '#server/context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, withIssuer } from '#tests/support/app/test-person.ts';
import { endSessionsOfIdentity } from './end-sessions-of-identity.ts';

const ISSUER = 'https://code.example.ca';

async function prepare() {
  const app = await createTestApp();
  const person = async (issuer: string, subject: string, identitySession: string) => {
    const made = await createTestPerson(app, { issuer, subject });
    await app.db
      .updateTable('sessions')
      .set({ identity_session: identitySession })
      .where('id', '=', made.actor.sessionId)
      .execute();
    return made.sessionCookie;
  };
  const cookies = {
    laptop: await person(ISSUER, '1', 'a'),
    phone: await person(ISSUER, '1', 'b'),
    bob: await person(ISSUER, '2', 'c'),
    stranger: await person('https://other.example.ca', '1', 'a'),
  };
  const context: RequestContext = {
    app,
    actor: { kind: 'anonymous' },
    requestId: 'request',
    address: '192.0.2.7',
  };
  const alive = async () => {
    const sessions = createSessions(withIssuer(app, ISSUER));
    const valid: string[] = [];
    for (const [name, cookie] of Object.entries(cookies))
      if (await sessions.validate(cookie)) valid.push(name);
    return valid;
  };
  return { app, context, alive };
}

describe('a sign-out at the issuer', () => {
  it('of one browser ends that session only', async () => {
    const { context, alive } = await prepare();
    expect(
      await endSessionsOfIdentity(context, { issuer: ISSUER, subject: null, identitySession: 'a' }),
    ).toBe(1);
    expect(await alive()).toEqual(['phone', 'bob', 'stranger']);
  });

  it('of a person ends all of that person’s sessions, and none of another issuer', async () => {
    const { app, context, alive } = await prepare();
    expect(
      await endSessionsOfIdentity(context, { issuer: ISSUER, subject: '1', identitySession: null }),
    ).toBe(2);
    expect(await alive()).toEqual(['bob', 'stranger']);
    const rows = await app.db.selectFrom('audit_events').select('action').execute();
    expect(rows.filter((row) => row.action === 'session.end_by_issuer')).toHaveLength(2);
  });

  it('that names a person and another person’s browser ends nothing', async () => {
    const { context, alive } = await prepare();
    expect(await endSessionsOfIdentity(context, { issuer: ISSUER, subject: '2', identitySession: 'a' })).toBe(
      0,
    );
    expect(
      await endSessionsOfIdentity(context, { issuer: ISSUER, subject: null, identitySession: null }),
    ).toBe(0);
    expect(await alive()).toHaveLength(4);
  });
});
