import { describe, expect, it } from 'vitest';
import { createSessions } from '#server/auth/sessions.ts';
import type { RequestContext } from '#server/context.ts';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { getUser } from '../get-user.ts';
import { authenticateAccount } from './authenticate-account.ts';
import { getAccount } from './get-account.ts';
import { registerAccount } from './register-account.ts';
import { updateAccount } from './update-account.ts';

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'a better horse battery';

async function prepare(options: Parameters<typeof createTestApp>[0] = {}) {
  const app = await createTestApp(options);
  const anonymous: RequestContext = {
    app,
    actor: { kind: 'anonymous' },
    requestId: 'request',
    address: '192.0.2.7',
  };
  const register = (login: string) =>
    registerAccount(anonymous, { full_name: login, login, email: `${login}@example.ca`, password: PASSWORD });
  const { subject } = await register('ada');
  const ada = await createTestPerson(app, {
    subject,
    login: 'ada',
    full_name: 'ada',
    email: 'ada@example.ca',
  });
  const profile = { full_name: 'Ada Lovelace', email: 'ada@example.ca', avatar_url: null };
  const opens = (email: string, password: string) =>
    authenticateAccount(anonymous, { email, password }).then(
      () => true,
      () => false,
    );
  return { app, ada, subject, profile, register, opens };
}

describe('the profile', () => {
  it('is shown as it was registered', async () => {
    const { ada } = await prepare();
    const account = {
      full_name: 'ada',
      login: 'ada',
      email: 'ada@example.ca',
      avatar_url: null,
      email_verified: false,
    };
    expect(await getAccount(ada.context)).toEqual(account);
  });

  it('changes the account, the person and the workspace together, and is recorded once', async () => {
    const { app, ada, profile } = await prepare();
    const changed = { ...profile, login: 'Countess', avatar_url: 'https://example.ca/ada.png' };
    const saved = await updateAccount(ada.context, changed);
    expect(await updateAccount(ada.context, changed)).toEqual(saved);
    expect(saved).toEqual({
      ...profile,
      login: 'countess',
      avatar_url: 'https://example.ca/ada.png',
      email_verified: false,
    });
    expect(await getAccount(ada.context)).toEqual(saved);
    const { email_verified, ...shown } = saved;
    expect(await getUser(ada.context)).toMatchObject(shown);
    const workspace = await app.db.selectFrom('organizations').selectAll().executeTakeFirstOrThrow();
    expect(workspace).toMatchObject({ name: 'Ada Lovelace', avatar_url: 'https://example.ca/ada.png' });
    const rows = await app.db
      .selectFrom('audit_events')
      .selectAll()
      .where('action', '=', 'account.update')
      .execute();
    expect(rows).toHaveLength(1);
    const [row] = rows;
    expect(JSON.parse(row?.before ?? '')).toMatchObject({ login: 'ada' });
    expect(JSON.parse(row?.after ?? '')).toMatchObject({ login: 'countess' });
  });

  it('accepts a new email address only with the current password', async () => {
    const { ada, profile, opens } = await prepare();
    const changed = { ...profile, email: 'countess@example.ca' };
    for (const current_password of [undefined, 'wrong horse battery']) {
      const refused = updateAccount(ada.context, { ...changed, current_password });
      await expect(refused).rejects.toMatchObject({
        code: 'current_password_wrong',
        fields: [{ path: 'current_password' }],
      });
    }
    // A field left empty is missing, not wrong.
    const empty = updateAccount(ada.context, { ...changed, current_password: '' });
    await expect(empty).rejects.toMatchObject({ issues: [{ path: ['current_password'] }] });
    await updateAccount(ada.context, { ...changed, current_password: PASSWORD });
    expect(await opens('countess@example.ca', PASSWORD)).toBe(true);
    expect(await opens('ada@example.ca', PASSWORD)).toBe(false);
  });

  it('accepts a new password only with the current one, and then ends every other session', async () => {
    const { app, ada, profile, subject, opens } = await prepare();
    const elsewhere = await createTestPerson(app, { subject });
    const refused = updateAccount(ada.context, { ...profile, new_password: NEW_PASSWORD });
    await expect(refused).rejects.toMatchObject({ code: 'current_password_wrong' });
    expect(await opens('ada@example.ca', PASSWORD)).toBe(true);
    await updateAccount(ada.context, { ...profile, current_password: PASSWORD, new_password: NEW_PASSWORD });
    expect(await opens('ada@example.ca', NEW_PASSWORD)).toBe(true);
    expect(await opens('ada@example.ca', PASSWORD)).toBe(false);
    const sessions = createSessions(app);
    expect(await sessions.validate(ada.sessionCookie)).not.toBeNull();
    expect(await sessions.validate(elsewhere.sessionCookie)).toBeNull();
    const rows = await app.db.selectFrom('audit_events').selectAll().execute();
    expect(rows.map((row) => row.action)).toContain('account.password');
    expect(JSON.stringify(rows)).not.toMatch(/horse|argon2/);
  });

  it('accepts no new passwords without end: each is told to an address that may be another person’s', async () => {
    const { app, ada, profile } = await prepare({
      environment: { MAIL_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@example.ca' },
      rateLimits: createRateLimits({ password_change_account: { points: 2, seconds: 3600 } }),
    });
    const change = (from: string, to: string) =>
      updateAccount(ada.context, { ...profile, current_password: from, new_password: to });
    await change(PASSWORD, NEW_PASSWORD);
    await change(NEW_PASSWORD, PASSWORD);
    await expect(change(PASSWORD, NEW_PASSWORD)).rejects.toMatchObject({ code: 'too_many_requests' });
    const mails = await app.db.selectFrom('outgoing_mails').select('recipient').execute();
    // The first asks to verify the address.
    expect(mails).toHaveLength(3);
    await updateAccount(ada.context, { ...profile, full_name: 'Countess' });
  });

  it('refuses a weak new password in its field', async () => {
    const { ada, profile } = await prepare();
    const refused = updateAccount(ada.context, {
      ...profile,
      current_password: PASSWORD,
      new_password: 'password123',
    });
    await expect(refused).rejects.toMatchObject({ issues: [{ path: ['new_password'] }] });
  });

  it('refuses an email address or a user name of another person', async () => {
    const { ada, profile, register } = await prepare();
    await register('bob');
    const email = { ...profile, email: 'BOB@example.ca', current_password: PASSWORD };
    await expect(updateAccount(ada.context, email)).rejects.toMatchObject({ code: 'account_email_taken' });
    const login = { ...profile, login: 'bob' };
    await expect(updateAccount(ada.context, login)).rejects.toMatchObject({ code: 'account_login_taken' });
    expect(await getAccount(ada.context)).toMatchObject({ login: 'ada', email: 'ada@example.ca' });
  });

  it.each([
    'javascript:alert(1)',
    'data:image/png;base64,AA',
    'no address',
    `https://x.ca/${'a'.repeat(500)}`,
  ])('refuses the picture address %s', async (avatar_url) => {
    const { ada, profile } = await prepare();
    const refused = updateAccount(ada.context, { ...profile, avatar_url });
    await expect(refused).rejects.toMatchObject({ issues: [{ path: ['avatar_url'] }] });
  });

  it('limits guesses of the current password', async () => {
    const { app, ada, profile } = await prepare();
    app.rateLimits = createRateLimits({ profile_account: { points: 2, seconds: 60 } });
    const guess = () =>
      updateAccount(ada.context, { ...profile, current_password: 'wrong horse', new_password: NEW_PASSWORD });
    await expect(guess()).rejects.toMatchObject({ code: 'current_password_wrong' });
    await expect(guess()).rejects.toMatchObject({ code: 'current_password_wrong' });
    await expect(guess()).rejects.toMatchObject({ code: 'too_many_requests' });
  });

  it('reveals for only a few names and addresses whether they are taken, even with the correct password', async () => {
    const { ada, profile, register } = await prepare();
    await register('bob');
    const codes: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      const probes = [
        { ...profile, login: 'bob' },
        { ...profile, email: 'bob@example.ca', current_password: PASSWORD },
      ];
      for (const probe of probes) {
        await updateAccount(ada.context, probe).catch((error) => codes.push(error.code));
      }
    }
    expect(codes.slice(0, 10)).toEqual(
      Array.from({ length: 5 }, () => ['account_login_taken', 'account_email_taken']).flat(),
    );
    expect(codes.slice(10)).toEqual(['too_many_requests', 'too_many_requests']);
    await updateAccount(ada.context, { ...profile, full_name: 'Ada King' });
  });

  it('keeps one of two concurrent new passwords, and reports a conflict to the other', async () => {
    const { ada, profile, opens } = await prepare();
    const passwords = [NEW_PASSWORD, 'quite another horse'];
    const both = await Promise.allSettled(
      passwords.map((new_password) =>
        updateAccount(ada.context, { ...profile, current_password: PASSWORD, new_password }),
      ),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = both.find((result) => result.status === 'rejected');
    expect(refused?.reason).toMatchObject({ code: 'conflict' });
    const opened = await Promise.all(passwords.map((password) => opens('ada@example.ca', password)));
    expect(opened.sort()).toEqual([false, true]);
  });

  it('of a person of another issuer is not here, whatever number that person has', async () => {
    const { app, subject, profile } = await prepare();
    const stranger = await createTestPerson(app, { issuer: 'https://code.example.ca', subject });
    await expect(getAccount(stranger.context)).rejects.toMatchObject({ code: 'not_found' });
    await expect(updateAccount(stranger.context, profile)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('does not exist for signed-out visitors', async () => {
    const { ada, profile } = await prepare();
    const nobody: RequestContext = { ...ada.context, actor: { kind: 'anonymous' } };
    await expect(getAccount(nobody)).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(updateAccount(nobody, profile)).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
