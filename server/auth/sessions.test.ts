import { describe, expect, it } from 'vitest';
import { EMBEDDED_ISSUER } from '#server/services/identity/rules.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, withIssuer } from '#tests/support/app/test-person.ts';
import { createSessions } from './sessions.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

async function signedIn() {
  const app = await createTestApp();
  const person = await createTestPerson(app);
  const sessions = createSessions(app);
  return {
    app,
    person,
    validate: (cookie: string | null = person.sessionCookie) => sessions.validate(cookie),
  };
}

async function sessionRow(app: Awaited<ReturnType<typeof createTestApp>>) {
  return app.db.selectFrom('sessions').selectAll().executeTakeFirst();
}

describe('a session', () => {
  it('identifies its person', async () => {
    const { person, validate } = await signedIn();
    expect(await validate()).toMatchObject({
      kind: 'person',
      userId: person.user.id,
      login: person.user.login,
    });
  });

  it('is stored without the value of the cookie', async () => {
    const { app, person } = await signedIn();
    const value = person.sessionCookie.split('=')[1] ?? '';
    expect(value).toMatch(/^[a-z0-9]{40}$/);
    expect(JSON.stringify(await app.db.selectFrom('sessions').selectAll().execute())).not.toContain(value);
  });

  it('cannot be used with the id stored in the table', async () => {
    const { app, validate } = await signedIn();
    const row = await sessionRow(app);
    expect(await validate(`session=${row?.id}`)).toBeNull();
    expect(await validate(`session=${row?.id.slice(0, 40)}`)).toBeNull();
  });

  it('ends 14 days after its last use', async () => {
    const { app, validate } = await signedIn();
    app.clock.advance(14 * DAY - MINUTE);
    expect(await validate()).not.toBeNull();
    app.clock.advance(14 * DAY - MINUTE);
    expect(await validate()).not.toBeNull();
    app.clock.advance(14 * DAY);
    expect(await validate()).toBeNull();
  });

  it('that a clock ahead has refused works again once the clock is corrected', async () => {
    const { app, validate } = await signedIn();
    app.clock.advance(120 * DAY);
    expect(await validate()).toBeNull();
    app.clock.advance(-120 * DAY);
    expect(await validate()).not.toBeNull();
  });

  it('ends 90 days after the sign-in, however much it is used', async () => {
    const { app, validate } = await signedIn();
    for (let day = 1; day < 90; day += 1) {
      app.clock.advance(DAY);
      expect(await validate(), `day ${day}`).not.toBeNull();
    }
    app.clock.advance(DAY);
    expect(await validate()).toBeNull();
  });

  it('stores its last use at most every five minutes', async () => {
    const { app, validate } = await signedIn();
    const first = await sessionRow(app);
    app.clock.advance(4 * MINUTE);
    await validate();
    expect(await sessionRow(app)).toEqual(first);
    app.clock.advance(2 * MINUTE);
    await validate();
    const second = await sessionRow(app);
    expect(second?.last_used_at).toBe(app.clock.now());
    expect(second?.expires_at).toBe(app.clock.now() + 14 * DAY);
  });

  it.each([
    null,
    '',
    'session',
    'session=',
    'session=%',
    'session=%E0%A4%A; x=%',
    `session=${'a'.repeat(40)}`,
    `session=${'a'.repeat(5000)}`,
    "session=' or 1=1 --",
    'session=\u0000',
  ])('does not exist for the cookie %j', async (cookie) => {
    const { validate } = await signedIn();
    expect(await validate(cookie)).toBeNull();
  });

  it('is found next to other malformed cookies', async () => {
    const { person, validate } = await signedIn();
    expect(await validate(`x=%; =; ${person.sessionCookie}; y=%E0`)).toMatchObject({
      userId: person.user.id,
    });
  });

  it.each([
    [EMBEDDED_ISSUER, 'https://code.example.ca'],
    ['https://code.example.ca', EMBEDDED_ISSUER],
  ])(
    'of a person of %s is invalid while %s signs people in, and valid again when that changes back',
    async (own, other) => {
      const app = await createTestApp();
      const { sessionCookie, user } = await createTestPerson(app, { issuer: own });
      const validateAt = (issuer: string) => createSessions(withIssuer(app, issuer)).validate(sessionCookie);
      expect(await validateAt(other)).toBeNull();
      expect(await validateAt(own)).toMatchObject({ userId: user.id });
    },
  );

  it('lives for 90 days in the browser, under a name that depends on the scheme', async () => {
    const app = await createTestApp({ environment: { PUBLIC_URL: 'https://console.example.ca' } });
    const { sessionCookie } = await createTestPerson(app);
    expect(sessionCookie).toMatch(/^__Host-session=/);
    const blank = createSessions(app).blankCookie();
    expect(blank).toBe('__Host-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure');
  });
});
