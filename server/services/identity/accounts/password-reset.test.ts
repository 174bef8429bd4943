import { describe, expect, it } from 'vitest';
import { createSessions } from '#server/auth/sessions.ts';
import type { RequestContext } from '#server/context.ts';
import { HOUR_MS } from '#server/durations.ts';
import { createProviderAdapter } from '#server/identity/provider/provider-adapter.ts';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { linkIn } from '#tests/support/server/mail-server.ts';
import { sealedMailSchema } from '../../mail/queue-mail.ts';
import { deleteExpiredSignIns } from '../sign-in/delete-expired-sign-ins.ts';
import { updateUserSettings } from '../update-user-settings.ts';
import { authenticateAccount } from './authenticate-account.ts';
import { createResetLink } from './create-reset-link.ts';
import { getResetLink } from './get-reset-link.ts';
import { registerAccount } from './register-account.ts';
import { requestPasswordReset } from './request-password-reset.ts';
import { resetPassword } from './reset-password.ts';
import { updateAccount } from './update-account.ts';

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'a better horse battery';
const MAIL = { MAIL_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@example.ca' };

async function prepare(environment: Record<string, string> = MAIL) {
  const app = await createTestApp({ environment });
  const anonymous: RequestContext = {
    app,
    actor: { kind: 'anonymous' },
    requestId: 'r',
    address: '192.0.2.7',
  };
  const { subject } = await registerAccount(anonymous, {
    full_name: 'Ada',
    login: 'ada',
    email: 'Ada@example.ca',
    password: PASSWORD,
  });
  const ada = await createTestPerson(app, {
    subject,
    login: 'ada',
    full_name: 'Ada',
    email: 'Ada@example.ca',
  });
  await app.db.deleteFrom('outgoing_mails').execute();
  const opens = (password: string) =>
    authenticateAccount(anonymous, { email: 'ada@example.ca', password }).then(
      () => true,
      () => false,
    );
  return { app, anonymous, ada, subject, opens };
}

/** Returns the messages written so far, oldest first. */
async function mailsOf(app: TestApp) {
  const rows = await app.db.selectFrom('outgoing_mails').selectAll().orderBy('id').execute();
  return rows
    .filter((row) => row.message_sealed !== '')
    .map((row) => ({
      recipient: row.recipient,
      ...sealedMailSchema.parse(JSON.parse(app.sealer.open(row.message_sealed, row.id))),
    }));
}

async function requestToken(context: RequestContext & { app: TestApp }, email = 'ada@example.ca') {
  await requestPasswordReset(context, { email });
  return tokenOf((await mailsOf(context.app)).at(-1)?.text ?? '');
}

const tokenOf = (text: string) => linkIn(text).pathname.split('/').at(-1) ?? '';

const actionsOf = async (app: TestApp) =>
  (await app.db.selectFrom('audit_events').select('action').orderBy('id').execute()).map(
    ({ action }) => action,
  );

describe('a forgotten password', () => {
  it('is replaced by the link in the mail, all sessions end, and the owner is notified', async () => {
    const { app, anonymous, ada, subject, opens } = await prepare();
    const provider = createProviderAdapter(app, 'Session');
    await provider.upsert('never finished', { accountId: subject, uid: 'u' }, 3600);
    const token = await requestToken({ ...anonymous, app });
    expect(token).toMatch(/^[\w-]{43}$/);
    const [mail] = await mailsOf(app);
    expect(mail).toMatchObject({ recipient: 'Ada@example.ca', subject: 'Choose a new password · Portage' });
    const stored = JSON.stringify([
      await app.db.selectFrom('identity_mail_links').selectAll().execute(),
      await app.db.selectFrom('outgoing_mails').selectAll().execute(),
    ]);
    expect(stored).not.toContain(token);

    expect(await getResetLink(anonymous, { token })).toEqual({ email: 'Ada@example.ca' });
    expect(await resetPassword(anonymous, { token, password: NEW_PASSWORD })).toEqual({
      subject,
      email: 'Ada@example.ca',
    });
    expect([await opens(PASSWORD), await opens(NEW_PASSWORD)]).toEqual([false, true]);
    expect(await createSessions(app).validate(ada.sessionCookie)).toBeNull();
    expect(await provider.find('never finished')).toBeUndefined();
    expect((await mailsOf(app)).at(-1)).toMatchObject({
      recipient: 'Ada@example.ca',
      subject: 'Your password was changed · Portage',
    });
    expect(await actionsOf(app)).toEqual(
      expect.arrayContaining(['account.reset_request', 'account.password_reset']),
    );
  });

  it('is replaced once by a link, also when it is used twice at the same time', async () => {
    const { app, anonymous, opens } = await prepare();
    const token = await requestToken({ ...anonymous, app });
    const passwords = [NEW_PASSWORD, 'yet another good horse'];
    const results = await Promise.allSettled(
      passwords.map((password) => resetPassword(anonymous, { token, password })),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const winner = results.findIndex(({ status }) => status === 'fulfilled');
    expect(await opens(passwords[winner] ?? '')).toBe(true);
    const [loser] = results.filter((result) => result.status === 'rejected');
    expect(loser?.reason).toMatchObject({ code: 'mail_link_invalid' });
    await expect(resetPassword(anonymous, { token, password: PASSWORD })).rejects.toMatchObject({
      code: 'mail_link_invalid',
    });
    await expect(getResetLink(anonymous, { token })).rejects.toMatchObject({ code: 'mail_link_invalid' });
  });

  it('stays when the link is unknown, an hour old, older than a new one, or was sent to a previous address', async () => {
    const { app, anonymous, ada, opens } = await prepare();
    const refused = async (token: string) => {
      const reset = resetPassword(anonymous, { token, password: NEW_PASSWORD });
      await expect(reset).rejects.toMatchObject({ code: 'mail_link_invalid' });
    };
    await refused('A'.repeat(43));
    const first = await requestToken({ ...anonymous, app });
    const second = await requestToken({ ...anonymous, app });
    await refused(first);
    app.clock.advance(HOUR_MS);
    await refused(second);
    const third = await requestToken({ ...anonymous, app });
    await updateAccount(ada.context, {
      full_name: 'Ada',
      email: 'countess@example.ca',
      avatar_url: null,
      current_password: PASSWORD,
    });
    await refused(third);
    const verifying = (await mailsOf(app)).find(({ recipient }) => recipient === 'countess@example.ca');
    await refused(tokenOf(verifying?.text ?? ''));
    expect(await opens(NEW_PASSWORD)).toBe(false);
    app.clock.advance(25 * HOUR_MS);
    await deleteExpiredSignIns(app);
    expect(await app.db.selectFrom('identity_mail_links').selectAll().execute()).toEqual([]);
  });

  it('is not replaced by an invalid one, and the attempt does not use up the link', async () => {
    const { app, anonymous, opens } = await prepare();
    const token = await requestToken({ ...anonymous, app });
    for (const password of ['short', 'password123', 'ADA@example.ca', 'x'.repeat(201)]) {
      const reset = resetPassword(anonymous, { token, password });
      await expect(reset, password).rejects.toSatisfy(
        (error) => error.code === 'invalid_input' || error.name === 'ZodError',
      );
    }
    expect(await opens(PASSWORD)).toBe(true);
    await resetPassword(anonymous, { token, password: NEW_PASSWORD });
    expect(await opens(NEW_PASSWORD)).toBe(true);
  });

  it('leaves the same rows behind for an address without an account, and a message without a recipient', async () => {
    const { app, anonymous } = await prepare();
    const traces = async (email: string) => {
      const count = async () => ({
        mails: (await app.db.selectFrom('outgoing_mails').select('id').execute()).length,
        links: (await app.db.selectFrom('identity_mail_links').select('purpose').execute()).length,
        events: (await actionsOf(app)).length,
      });
      const before = await count();
      await requestPasswordReset(anonymous, { email });
      const after = await count();
      return [after.mails - before.mails, after.links - before.links, after.events - before.events];
    };
    await app.db.deleteFrom('identity_mail_links').execute();
    for (const email of ['ada@example.ca', 'nobody@example.ca']) {
      expect(await traces(email), email).toEqual([1, 1, 1]);
      expect(await traces(email), email).toEqual([1, 0, 1]);
    }
    expect((await mailsOf(app)).map(({ recipient }) => recipient)).toEqual([
      'Ada@example.ca',
      'Ada@example.ca',
    ]);
    expect(JSON.stringify(await app.db.selectFrom('outgoing_mails').selectAll().execute())).not.toContain(
      'nobody@',
    );
  });

  it('gets the same response however often it is requested, and one account gets five links an hour', async () => {
    const { app, anonymous, opens } = await prepare();
    for (const email of ['ada@example.ca', 'nobody@example.ca']) {
      for (let count = 0; count < 9; count += 1) {
        const stranger = { ...anonymous, address: `198.51.100.${count}` };
        await requestPasswordReset(stranger, { email: count % 2 === 0 ? email : email.toUpperCase() });
      }
    }
    const mails = await mailsOf(app);
    expect(mails).toHaveLength(5);
    // Whatever strangers requested: the newest link in the mailbox works.
    await resetPassword(anonymous, { token: tokenOf(mails.at(-1)?.text ?? ''), password: NEW_PASSWORD });
    expect(await opens(NEW_PASSWORD)).toBe(true);
  });

  it('is refused to an address that requests many', async () => {
    const { app, anonymous } = await prepare();
    app.rateLimits = createRateLimits({ mail_link_address: { points: 2, seconds: 3600 } });
    for (const email of ['a@example.ca', 'b@example.ca']) await requestPasswordReset(anonymous, { email });
    const third = requestPasswordReset(anonymous, { email: 'c@example.ca' });
    await expect(third).rejects.toMatchObject({ code: 'too_many_requests' });
  });

  it('can be requested from a browser that knows the account, whatever strangers requested', async () => {
    const { app, anonymous, subject } = await prepare();
    const email = 'ada@example.ca';
    for (let count = 0; count < 31; count += 1) {
      await requestPasswordReset(anonymous, { email }).catch(() => null);
    }
    const known = { id: 'a', subjects: [subject] };
    const sent = async () => (await mailsOf(app)).length;
    expect(await sent()).toBe(5);
    for (let count = 0; count < 5; count += 1) await requestPasswordReset(anonymous, { email }, known);
    expect(await sent()).toBe(10);
    const sixth = requestPasswordReset(anonymous, { email }, known);
    await expect(sixth).rejects.toMatchObject({ code: 'too_many_requests' });
  });

  it('is written in the language chosen in the console, otherwise of the registration, otherwise of the page', async () => {
    const { app, anonymous, ada } = await prepare();
    await requestPasswordReset(anonymous, { email: 'ada@example.ca', language: 'fr-CA' });
    await app.db.updateTable('identity_accounts').set({ language: 'en-CA' }).execute();
    await requestPasswordReset(anonymous, { email: 'ada@example.ca', language: 'fr-CA' });
    await updateUserSettings(ada.context, { language_preference: 'fr-CA' });
    await requestPasswordReset(anonymous, { email: 'ada@example.ca' });
    const mails = await mailsOf(app);
    expect(mails.map(({ languages }) => languages)).toEqual([['fr-CA'], ['en-CA'], ['fr-CA']]);
    expect(mails[0]?.subject).toBe('Choisissez un nouveau mot de passe · Portage');
  });
});

describe('without email', () => {
  it('no one can request a link, known or not', async () => {
    const { anonymous } = await prepare({});
    for (const email of ['ada@example.ca', 'nobody@example.ca']) {
      const asked = requestPasswordReset(anonymous, { email });
      await expect(asked).rejects.toMatchObject({ code: 'mail_not_configured' });
    }
  });

  it('an operator passes one on, which works in the same way', async () => {
    const { app, anonymous, ada, opens } = await prepare({});
    const operator = (access: 'read' | 'manage'): RequestContext => ({
      ...anonymous,
      actor: { kind: 'operator', tokenId: null, name: 'command line', access },
    });
    for (const context of [anonymous, ada.context, operator('read')]) {
      const asked = createResetLink(context, { email: 'ada@example.ca' });
      await expect(asked).rejects.toMatchObject({
        code: expect.stringMatching(/^(unauthenticated|operator_required)$/),
      });
    }
    const unknown = createResetLink(operator('manage'), { email: 'nobody@example.ca' });
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
    const { link, expires_at } = await createResetLink(operator('manage'), { email: 'ADA@example.ca' });
    expect(Date.parse(expires_at)).toBe(app.clock.now() + HOUR_MS);
    const token = tokenOf(link);
    expect(link).toBe(`${app.config.publicUrl}/identity/reset-password/${token}`);
    await resetPassword(anonymous, { token, password: NEW_PASSWORD });
    expect(await opens(NEW_PASSWORD)).toBe(true);
    expect(await app.db.selectFrom('outgoing_mails').selectAll().execute()).toEqual([]);
    const [event] = await app.db
      .selectFrom('audit_events')
      .select(['actor_kind', 'actor_name'])
      .where('action', '=', 'account.reset_link')
      .execute();
    expect(event).toEqual({ actor_kind: 'operator', actor_name: 'command line' });
  });
});
