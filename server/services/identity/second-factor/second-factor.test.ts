import { describe, expect, it } from 'vitest';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { readMails } from '#tests/support/app/read-mails.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { registerAccount } from '../accounts/register-account.ts';
import { updateAccount } from '../accounts/update-account.ts';
import { beginTotp } from './begin-totp.ts';
import { removeSecondFactor, renewRecoveryCodes } from './change-second-factor.ts';
import { confirmTotp } from './confirm-totp.ts';
import { getSecondFactor } from './get-second-factor.ts';
import { resetSecondFactor } from './reset-second-factor.ts';
import { beginSecondStep, finishSecondStep } from './second-step.ts';
import { totpCode, totpStep } from './totp.ts';

const current_password = 'correct horse battery';
const MAIL = { MAIL_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@example.ca' };
const PROFILE = { login: 'ada', full_name: 'Ada', email: 'ada@example.ca' };

async function prepareUnverified() {
  const app = await createTestApp({ environment: MAIL });
  const anonymous = { app, actor: { kind: 'anonymous' as const }, requestId: 'r', address: '192.0.2.7' };
  const { subject } = await registerAccount(anonymous, { ...PROFILE, password: current_password });
  const ada = (await createTestPerson(app, { subject, ...PROFILE })).context;
  return { app, anonymous, ada, subject };
}

async function prepare() {
  const world = await prepareUnverified();
  await world.app.db.updateTable('identity_accounts').set({ email_verified_at: 1 }).execute();
  return world;
}

async function prepareOn() {
  const world = await prepare();
  const { secret } = await beginTotp(world.ada, { current_password });
  const codeAt = (steps: number) => totpCode(secret, totpStep(world.app.clock.now()) + steps);
  const { recovery_codes } = await confirmTotp(world.ada, { code: codeAt(-1) });
  const half = await beginSecondStep(world.anonymous, world.subject);
  if (!half) throw new Error('no second step');
  const finish = (code: string) => finishSecondStep(world.anonymous, half, { code });
  return { ...world, secret, codeAt, recovery_codes, finish };
}

const actionsOf = async (app: TestApp) =>
  (await app.db.selectFrom('audit_events').select('action').orderBy('id').execute()).map((row) => row.action);

describe('one-time codes', () => {
  it('match RFC 6238', () => {
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    expect(totpCode(secret, totpStep(59_000))).toBe('287082');
    expect(totpCode(secret, totpStep(1_111_111_109_000))).toBe('081804');
    expect(totpCode(secret, totpStep(20_000_000_000_000))).toBe('353130');
  });
});

describe('two-step sign-in', () => {
  it('is refused before the address is verified, and another link is sent: its owner could not turn it off', async () => {
    const { app, ada } = await prepareUnverified();
    await app.db.deleteFrom('outgoing_mails').execute();
    await expect(beginTotp(ada, { current_password })).rejects.toMatchObject({ code: 'account_unverified' });
    expect(await app.db.selectFrom('outgoing_mails').select('recipient').execute()).toEqual([
      { recipient: PROFILE.email },
    ]);
  });

  it('requires nothing before a code of the app has confirmed it', async () => {
    const { ada, anonymous, subject } = await prepare();
    await expect(confirmTotp(ada, { code: '000000' })).rejects.toMatchObject({
      code: 'second_factor_is_off',
    });
    await expect(beginTotp(ada, { current_password: 'wrong' })).rejects.toMatchObject({
      code: 'current_password_wrong',
    });
    await beginTotp(ada, { current_password });
    await expect(confirmTotp(ada, { code: 'abc' })).rejects.toMatchObject({
      code: 'second_factor_code_wrong',
    });
    expect(await beginSecondStep(anonymous, subject)).toBeNull();
    expect(await getSecondFactor(ada)).toEqual({ is_on: false, recovery_codes_left: 0 });
  });

  it('accepts a code once, of the current step and its neighbours, and stores no readable secret', async () => {
    const { app, ada, codeAt, finish, secret, recovery_codes } = await prepareOn();
    expect(await getSecondFactor(ada)).toEqual({ is_on: true, recovery_codes_left: 10 });
    await expect(finish(codeAt(-1))).rejects.toMatchObject({ code: 'second_factor_code_wrong' });
    await expect(finish(codeAt(2))).rejects.toMatchObject({ code: 'second_factor_code_wrong' });
    const both = await Promise.allSettled([finish(codeAt(1)), finish(codeAt(1))]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    // A code of a step before the newest accepted one is outdated.
    await expect(finish(codeAt(0))).rejects.toMatchObject({ code: 'second_factor_code_wrong' });
    const stored = JSON.stringify([
      await app.db.selectFrom('identity_totp').selectAll().execute(),
      await app.db.selectFrom('identity_recovery_codes').selectAll().execute(),
    ]);
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(recovery_codes[0]?.replace('-', ''));
    await expect(beginTotp(ada, { current_password })).rejects.toMatchObject({ code: 'second_factor_is_on' });
  });

  it('accepts each recovery code once, however it is typed, and notifies the owner', async () => {
    const { app, finish, recovery_codes, ada } = await prepareOn();
    const [first = '', second = ''] = recovery_codes;
    await app.db.deleteFrom('outgoing_mails').execute();
    expect(await finish(`\u200b${first.toUpperCase().replace('-', ' ')}`)).toMatchObject({
      recoveryCodesLeft: 9,
    });
    await expect(finish(first)).rejects.toMatchObject({ code: 'second_factor_code_wrong' });
    expect(await app.db.selectFrom('outgoing_mails').select('recipient').execute()).toHaveLength(1);
    const { recovery_codes: renewed } = await renewRecoveryCodes(ada, {
      current_password,
      code: recovery_codes[2] ?? '',
    });
    expect(renewed).toHaveLength(10);
    await expect(finish(second)).rejects.toMatchObject({ code: 'second_factor_code_wrong' });
    expect((await actionsOf(app)).filter((action) => /recovery|second/.test(action))).toEqual([
      'account.second_factor_on',
      'account.recovery_code_used',
      'account.recovery_codes',
    ]);
  });

  it('accepts only so many wrong codes, after which a correct one has to wait too', async () => {
    const { finish, codeAt } = await prepareOn();
    for (let tries = 0; tries < 10; tries += 1) {
      await expect(finish('abcdef')).rejects.toMatchObject({ code: 'second_factor_code_wrong' });
    }
    await expect(finish(codeAt(1))).rejects.toMatchObject({ code: 'too_many_requests' });
  });

  it('starts over when the password has changed meanwhile', async () => {
    const { ada, finish, codeAt } = await prepareOn();
    const change = { current_password, new_password: 'a better horse battery', avatar_url: null };
    await updateAccount(ada, { ...PROFILE, ...change });
    await expect(finish(codeAt(1))).rejects.toMatchObject({ code: 'sign_in_expired' });
    expect(await getSecondFactor(ada)).toMatchObject({ is_on: true });
  });

  it('is turned off with password and code, and by an operator', async () => {
    const { app, ada, anonymous, subject, codeAt } = await prepareOn();
    const wrong = removeSecondFactor(ada, { current_password, code: '12' });
    await expect(wrong).rejects.toMatchObject({ code: 'second_factor_code_wrong' });
    await removeSecondFactor(ada, { current_password, code: codeAt(1) });
    expect(await beginSecondStep(anonymous, subject)).toBeNull();
    const operator = operatorContext(app);
    const email = PROFILE.email;
    await expect(resetSecondFactor(operator, { email })).rejects.toMatchObject({
      code: 'second_factor_is_off',
    });
    const { secret } = await beginTotp(ada, { current_password });
    await confirmTotp(ada, { code: totpCode(secret, totpStep(app.clock.now())) });
    await expect(resetSecondFactor(ada, { email })).rejects.toMatchObject({ code: 'operator_required' });
    await resetSecondFactor(operator, { email });
    expect(await getSecondFactor(ada)).toEqual({ is_on: false, recovery_codes_left: 0 });
    expect((await actionsOf(app)).at(-1)).toBe('account.second_factor_reset');
    const mail = (await readMails(app)).at(-1)?.text;
    expect(mail).toContain('The operator of this installation has turned off two-step sign-in');
    expect(mail).toContain('If you asked for it, you do not need to do anything.');
  });
});
