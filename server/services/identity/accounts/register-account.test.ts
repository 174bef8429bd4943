import { describe, expect, it } from 'vitest';
import type { App, RequestContext } from '#server/context.ts';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import type { KnownBrowser } from '../sessions/known-browser.ts';
import { authenticateAccount } from './authenticate-account.ts';
import { registerAccount } from './register-account.ts';

const ADA = {
  full_name: 'Ada Lovelace',
  login: 'ada',
  email: 'Ada@Example.ca',
  password: 'correct horse battery',
};

function anonymous(app: App, address = '192.0.2.7'): RequestContext {
  return { app, actor: { kind: 'anonymous' }, requestId: 'request', address };
}

describe('registering', () => {
  it('creates an account that the email address opens in any case', async () => {
    const app = await createTestApp();
    const { subject } = await registerAccount(anonymous(app), ADA);
    const opened = await authenticateAccount(anonymous(app), {
      email: 'ada@example.CA',
      password: ADA.password,
    });
    expect(opened).toEqual({ subject });
  });

  it('records the account and never the password', async () => {
    const app = await createTestApp();
    await registerAccount(anonymous(app), ADA);
    const [row] = await app.db.selectFrom('audit_events').selectAll().execute();
    expect(row).toMatchObject({ action: 'account.register', resource_type: 'account', address: '192.0.2.7' });
    const everything = await Promise.all([
      app.db.selectFrom('audit_events').selectAll().execute(),
      app.db.selectFrom('identity_accounts').selectAll().execute(),
    ]);
    expect(JSON.stringify(everything)).not.toContain(ADA.password);
  });

  it('refuses an email address or a user name that is taken, naming the field', async () => {
    const app = await createTestApp();
    await registerAccount(anonymous(app), ADA);
    const sameEmail = registerAccount(anonymous(app), { ...ADA, login: 'other', email: 'ADA@example.ca' });
    await expect(sameEmail).rejects.toMatchObject({
      code: 'account_email_taken',
      fields: [{ path: 'email' }],
    });
    const sameLogin = registerAccount(anonymous(app), { ...ADA, email: 'other@example.ca', login: 'ADA' });
    await expect(sameLogin).rejects.toMatchObject({
      code: 'account_login_taken',
      fields: [{ path: 'login' }],
    });
    expect(await app.db.selectFrom('identity_accounts').selectAll().execute()).toHaveLength(1);
  });

  it('with one email address twice at the same time creates one account', async () => {
    const app = await createTestApp();
    const attempts = await Promise.allSettled([
      registerAccount(anonymous(app), { ...ADA, login: 'ada-1' }),
      registerAccount(anonymous(app), { ...ADA, login: 'ada-2' }),
    ]);
    expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = attempts.find((attempt) => attempt.status === 'rejected');
    expect(refused?.reason).toMatchObject({ code: 'account_email_taken' });
  });

  it.each([
    [{ password: 'short' }, 'password'],
    [{ password: 'ada@example.ca' }, 'password'],
    [{ password: 'password123' }, 'password'],
    [{ email: 'no address' }, 'email'],
    [{ login: 'a' }, 'login'],
    [{ login: 'ada/../root' }, 'login'],
    [{ full_name: '   ' }, 'full_name'],
    [{ full_name: 'x'.repeat(101) }, 'full_name'],
  ])('refuses %j in the field %s', async (wrong, path) => {
    const app = await createTestApp();
    const refused = registerAccount(anonymous(app), { ...ADA, ...wrong });
    const error = await refused.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ issues: [{ path: [path] }] });
  });

  it('is limited per address', async () => {
    const app = await createTestApp();
    app.rateLimits = createRateLimits({ registration_address: { points: 1, seconds: 60 } });
    await registerAccount(anonymous(app), ADA);
    const again = { ...ADA, login: 'other', email: 'other@example.ca' };
    const refused = registerAccount(anonymous(app), again);
    await expect(refused).rejects.toMatchObject({ code: 'too_many_requests' });
    await registerAccount(anonymous(app, '192.0.2.8'), again);
  });
});

describe('a password sign-in', () => {
  it('gives a wrong password and an unknown address the same response', async () => {
    const app = await createTestApp();
    await registerAccount(anonymous(app), ADA);
    const wrong = { email: ADA.email, password: 'wrong horse battery' };
    const unknown = { email: 'nobody@example.ca', password: ADA.password };
    const responses = await Promise.all(
      [wrong, unknown].map((input) =>
        authenticateAccount(anonymous(app), input).catch((error: unknown) => error),
      ),
    );
    for (const response of responses) {
      expect(response).toMatchObject({
        code: 'sign_in_failed',
        message: 'The email address or the password is wrong.',
      });
    }
  });

  it('is refused after too many wrong ones from one address, and the owner elsewhere is not', async () => {
    const app = await createTestApp();
    app.rateLimits = createRateLimits({ sign_in_account: { points: 3, seconds: 60 } });
    await registerAccount(anonymous(app), ADA);
    const guess = () => authenticateAccount(anonymous(app), { email: ADA.email, password: 'wrong horse' });
    for (let n = 0; n < 3; n += 1) await expect(guess()).rejects.toMatchObject({ code: 'sign_in_failed' });
    const right = { email: ADA.email, password: ADA.password };
    await expect(authenticateAccount(anonymous(app), right)).rejects.toMatchObject({
      code: 'too_many_requests',
    });
    await authenticateAccount(anonymous(app, '198.51.100.4'), right);
  });

  it('counts concurrent guesses one by one', async () => {
    const app = await createTestApp();
    app.rateLimits = createRateLimits({ sign_in_account: { points: 3, seconds: 60 } });
    await registerAccount(anonymous(app), ADA);
    const guesses = Array.from({ length: 8 }, () =>
      authenticateAccount(anonymous(app), { email: ADA.email, password: 'wrong horse' }),
    );
    const codes = (await Promise.allSettled(guesses)).map((result) =>
      result.status === 'rejected' ? result.reason.code : 'opened',
    );
    expect(codes.filter((code) => code === 'sign_in_failed')).toHaveLength(3);
    expect(codes.filter((code) => code === 'too_many_requests')).toHaveLength(5);
  });

  it('that is correct resets the count of wrong ones', async () => {
    const app = await createTestApp();
    app.rateLimits = createRateLimits({ sign_in_account: { points: 3, seconds: 60 } });
    await registerAccount(anonymous(app), ADA);
    for (let n = 0; n < 4; n += 1) {
      const guess = authenticateAccount(anonymous(app), { email: ADA.email, password: 'wrong horse' });
      await expect(guess).rejects.toMatchObject({ code: 'sign_in_failed' });
      await authenticateAccount(anonymous(app), { email: ADA.email, password: ADA.password });
    }
  });

  it('works in a browser that knows the account while strangers everywhere guess', async () => {
    const app = await createTestApp();
    const { subject } = await registerAccount(anonymous(app), ADA);
    const limits = createRateLimits({ sign_in_account_anywhere: { points: 5, seconds: 900 } });
    app.rateLimits = limits;
    for (let n = 0; n < 6; n += 1) {
      const guess = { email: ADA.email, password: 'wrong horse' };
      await authenticateAccount(anonymous(app, `198.51.100.${n}`), guess).catch(() => null);
    }
    const right = { email: ADA.email, password: ADA.password };
    const refused = { code: 'too_many_requests' };
    const at = (browser: KnownBrowser | null, input = right) =>
      authenticateAccount(anonymous(app), input, browser);
    await expect(at(null)).rejects.toMatchObject(refused);
    await expect(at({ id: 'b', subjects: ['999'] })).rejects.toMatchObject(refused);
    const own = { id: 'a', subjects: ['999', subject] };
    expect(await at(own)).toEqual({ subject });
    // That does not reset the count of what strangers did.
    await expect(at(null)).rejects.toMatchObject(refused);
  });

  it('is refused in a browser that knows the account after too many wrong ones there', async () => {
    const app = await createTestApp();
    const { subject } = await registerAccount(anonymous(app), ADA);
    app.rateLimits = createRateLimits({
      sign_in_known_browser: { points: 2, seconds: 900 },
      sign_in_known_account: { points: 3, seconds: 900 },
    });
    const at = (id: string, password: string) =>
      authenticateAccount(anonymous(app), { email: ADA.email, password }, { id, subjects: [subject] }).then(
        () => 'opened',
        (error) => error.code,
      );
    const codes = [];
    for (const id of ['a', 'a', 'a', 'b', 'c']) codes.push(await at(id, 'wrong horse'));
    expect(codes).toEqual([
      'sign_in_failed',
      'sign_in_failed',
      'too_many_requests',
      'sign_in_failed',
      'too_many_requests',
    ]);
    expect(await at('a', ADA.password)).toBe('too_many_requests');
  });
});
