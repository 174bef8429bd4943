import { describe, expect, it } from 'vitest';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { CERTIFIED, softAuthenticator } from '#tests/support/browser/soft-authenticator.ts';
import { createResetLink } from '../accounts/create-reset-link.ts';
import { registerAccount } from '../accounts/register-account.ts';
import { resetPassword } from '../accounts/reset-password.ts';
import { updateAccount } from '../accounts/update-account.ts';
import { beginTotp } from '../second-factor/begin-totp.ts';
import { confirmTotp } from '../second-factor/confirm-totp.ts';
import { totpCode, totpStep } from '../second-factor/totp.ts';
import { addPasskey } from './add-passkey.ts';
import { beginPasskey } from './begin-passkey.ts';
import { listPasskeys } from './list-passkeys.ts';
import { removePasskey } from './remove-passkey.ts';
import { beginPasskeySignIn, signInWithPasskey } from './sign-in-with-passkey.ts';

const current_password = 'correct horse battery';
const ORIGIN = 'https://console.example.ca';
const SETTINGS = {
  PUBLIC_URL: ORIGIN,
  REGISTRATION: 'open',
  MAIL_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'no-reply@example.ca',
};
const REFUSED = { code: 'passkey_refused' };

async function personOf(app: TestApp, login: string) {
  const anonymous = { app, actor: { kind: 'anonymous' as const }, requestId: 'r', address: '192.0.2.7' };
  const profile = { login, full_name: login, email: `${login}@example.ca` };
  const { subject } = await registerAccount(anonymous, { ...profile, password: current_password });
  await app.db.updateTable('identity_accounts').set({ email_verified_at: 1 }).execute();
  return { anonymous, subject, context: (await createTestPerson(app, { subject, ...profile })).context };
}

async function prepare() {
  const app = await createTestApp({ environment: SETTINGS });
  return { app, ...(await personOf(app, 'ada')) };
}

/** A person with a passkey. */
async function prepareWithPasskey() {
  const world = await prepare();
  const device = softAuthenticator(ORIGIN);
  const begin = async () => (await beginPasskey(world.context, { current_password })).options;
  await addPasskey(world.context, { name: 'Laptop', answer: device.make(await begin()) });
  const signIn = async (flaws: Parameters<typeof device.use>[1] = {}) => {
    const { options } = await beginPasskeySignIn(world.anonymous, 'one');
    return signInWithPasskey(world.anonymous, 'one', { answer: device.use(options, flaws) });
  };
  return { ...world, device, begin, signIn };
}

describe('a passkey', () => {
  it('is refused before the address is verified, as a new password of its owner would not end it', async () => {
    const { app, context } = await prepare();
    await app.db.updateTable('identity_accounts').set({ email_verified_at: null }).execute();
    await expect(beginPasskey(context, { current_password })).rejects.toMatchObject({
      code: 'account_unverified',
    });
  });

  it('of someone who then gives another person’s address ends when that person resets the password', async () => {
    const { app, anonymous, context, signIn } = await prepareWithPasskey();
    const email = 'grace@example.ca';
    await updateAccount(context, { full_name: 'ada', email, avatar_url: null, current_password });
    expect(await signIn()).toBeTruthy();
    const { link } = await createResetLink(operatorContext(app), { email });
    const token = link.split('/').at(-1) ?? '';
    await resetPassword(anonymous, { token, password: 'a better horse battery' });
    await expect(signIn()).rejects.toMatchObject(REFUSED);
  });

  it('stays when its owner resets the password, once the address is verified', async () => {
    const { app, anonymous, subject, signIn } = await prepareWithPasskey();
    const { link } = await createResetLink(operatorContext(app), { email: 'ada@example.ca' });
    const token = link.split('/').at(-1) ?? '';
    await resetPassword(anonymous, { token, password: 'a better horse battery' });
    expect(await signIn()).toEqual({ subject });
  });

  it('signs its owner in repeatedly, and says when it was last used', async () => {
    const { app, context, subject, signIn } = await prepareWithPasskey();
    const added = (await listPasskeys(context)).passkeys[0];
    expect(added).toMatchObject({ name: 'Laptop', last_used_at: null });
    expect(await signIn()).toEqual({ subject });
    expect(await signIn()).toEqual({ subject });
    expect((await listPasskeys(context)).passkeys[0]?.last_used_at).not.toBeNull();
    const { action } = await app.db
      .selectFrom('audit_events')
      .select('action')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(action).toBe('account.passkey_added');
    const mails = await app.db.selectFrom('outgoing_mails').select('recipient').execute();
    expect(mails.filter(({ recipient }) => recipient === 'ada@example.ca').length).toBeGreaterThan(0);
  });

  it('can be added only with the password, and the code if there is one', async () => {
    const { app, context } = await prepare();
    await expect(beginPasskey(context, { current_password: 'wrong' })).rejects.toMatchObject({
      code: 'current_password_wrong',
    });
    const { secret } = await beginTotp(context, { current_password });
    const code = (steps: number) => totpCode(secret, totpStep(app.clock.now()) + steps);
    await confirmTotp(context, { code: code(-1) });
    expect(await listPasskeys(context)).toEqual({ passkeys: [], is_code_needed: true });
    const wrong = { code: 'second_factor_code_wrong' };
    await expect(beginPasskey(context, { current_password })).rejects.toMatchObject(wrong);
    await expect(beginPasskey(context, { current_password, code: '12' })).rejects.toMatchObject(wrong);
    await beginPasskey(context, { current_password, code: code(0) });
  });

  it('is refused when another page created it, for another account, too late, or without user verification', async () => {
    const { app, context } = await prepare();
    const { options } = await beginPasskey(context, { current_password });
    const add = (answer: Parameters<typeof addPasskey>[1]['answer'], who = context) =>
      addPasskey(who, { name: 'Laptop', answer });
    const device = softAuthenticator(ORIGIN);
    await expect(add(device.make(options, { origin: 'https://evil.example' }))).rejects.toMatchObject(
      REFUSED,
    );
    await expect(add(device.make(options, { isUserVerified: false }))).rejects.toMatchObject(REFUSED);
    await expect(add(device.make({ ...options, rp: { id: 'evil.example' } }))).rejects.toMatchObject(REFUSED);
    await expect(add(device.make({ ...options, challenge: 'AAAA' }))).rejects.toMatchObject(REFUSED);
    const { context: bob } = await personOf(app, 'bob');
    await expect(add(device.make(options), bob)).rejects.toMatchObject(REFUSED);
    const { response, ...rest } = device.make(options);
    const cut = {
      ...rest,
      response: { ...response, attestationObject: response.attestationObject.slice(0, 40) },
    };
    await expect(add(cut)).rejects.toMatchObject(REFUSED);
    app.clock.advance(3_600_001);
    await expect(add(device.make(options))).rejects.toMatchObject(REFUSED);
    expect((await listPasskeys(context)).passkeys).toEqual([]);
  });

  it('with a certificate is refused before the addresses in it are called', async () => {
    const { context } = await prepare();
    const { options } = await beginPasskey(context, { current_password });
    const responses = ['packed', 'fido-u2f', 'tpm', 'apple', 'android-key'].map((format) =>
      softAuthenticator(ORIGIN).make(options, { format, statement: CERTIFIED }),
    );
    for (const response of responses) {
      await expect(addPasskey(context, { name: 'Laptop', answer: response })).rejects.toMatchObject(REFUSED);
    }
  });

  it('is stored once, and an account keeps ten, however many are added at once', async () => {
    const { context, device, begin } = await prepareWithPasskey();
    const add = (from: typeof device, options: Record<string, unknown>) =>
      addPasskey(context, { name: 'Key', answer: from.make(options) });
    await expect(add(device, await begin())).rejects.toMatchObject({ code: 'passkey_known' });
    const options = await begin();
    const added = await Promise.allSettled(
      Array.from({ length: 12 }, () => add(softAuthenticator(ORIGIN), options)),
    );
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
    expect((await listPasskeys(context)).passkeys).toHaveLength(10);
    await expect(begin()).rejects.toMatchObject({ code: 'passkey_limit' });
  });

  it('signs no one in for another page, another sign-in, or without user verification', async () => {
    const { anonymous, device, signIn } = await prepareWithPasskey();
    await expect(signIn({ origin: 'https://evil.example' })).rejects.toMatchObject(REFUSED);
    await expect(signIn({ isUserVerified: false })).rejects.toMatchObject(REFUSED);
    const { options } = await beginPasskeySignIn(anonymous, 'one');
    const response = device.use(options);
    await expect(signInWithPasskey(anonymous, 'two', { answer: response })).rejects.toMatchObject(REFUSED);
    const unknown = softAuthenticator(ORIGIN).use(options);
    await expect(signInWithPasskey(anonymous, 'one', { answer: unknown })).rejects.toMatchObject(REFUSED);
    const other = {
      ...response,
      response: { ...response.response, userHandle: Buffer.from('999').toString('base64url') },
    };
    await expect(signInWithPasskey(anonymous, 'one', { answer: other })).rejects.toMatchObject(REFUSED);
  });

  it('with a counter is refused when a copy of it was used', async () => {
    const { device, signIn, subject } = await prepareWithPasskey();
    device.count(5);
    expect(await signIn()).toEqual({ subject });
    await expect(signIn()).rejects.toMatchObject(REFUSED);
    device.count(6);
    const both = await Promise.allSettled([signIn(), signIn()]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('no longer signs in once it is removed, which requires the password', async () => {
    const { app, context, device, signIn } = await prepareWithPasskey();
    const { id } = device;
    await expect(removePasskey(context, { id, current_password: 'wrong' })).rejects.toMatchObject({
      code: 'current_password_wrong',
    });
    const { context: bob } = await personOf(app, 'bob');
    await expect(removePasskey(bob, { id, current_password })).rejects.toMatchObject({
      code: 'passkey_not_found',
    });
    await removePasskey(context, { id, current_password });
    await expect(signIn()).rejects.toMatchObject(REFUSED);
  });

  it('of a blocked person no longer signs in', async () => {
    const { app, subject, signIn } = await prepareWithPasskey();
    const blocked = { blocked_at: app.clock.now(), blocked_reason: 'abuse' };
    await app.db
      .updateTable('identity_accounts')
      .set(blocked)
      .where('number', '=', Number(subject))
      .execute();
    await expect(signIn()).rejects.toMatchObject({ code: 'account_blocked' });
  });

  it('cannot be created when browsers do not allow it', async () => {
    const app = await createTestApp({ environment: { ...SETTINGS, PUBLIC_URL: 'https://192.0.2.1' } });
    const { context, anonymous } = await personOf(app, 'ada');
    const impossible = { code: 'passkeys_impossible' };
    await expect(beginPasskey(context, { current_password })).rejects.toMatchObject(impossible);
    await expect(beginPasskeySignIn(anonymous, 'one')).rejects.toMatchObject(impossible);
  });
});
