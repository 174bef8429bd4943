import { describe, expect, it } from 'vitest';
import type { RequestContext } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { linkIn } from '#tests/support/server/mail-server.ts';
import { sealedMailSchema } from '../../mail/queue-mail.ts';
import { getAccount } from './get-account.ts';
import { registerAccount } from './register-account.ts';
import { requestVerification } from './request-verification.ts';
import { updateAccount } from './update-account.ts';
import { verifyEmail } from './verify-email.ts';

const PASSWORD = 'correct horse battery';
const MAIL = { MAIL_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@example.ca' };

async function prepare(environment: Record<string, string> = MAIL) {
  const app = await createTestApp({ environment });
  const anonymous: RequestContext = {
    app,
    actor: { kind: 'anonymous' },
    requestId: 'r',
    address: '192.0.2.7',
  };
  const profile = { full_name: 'Zoé', login: 'zoe', email: 'zoe@example.ca' };
  const { subject } = await registerAccount(anonymous, { ...profile, password: PASSWORD, language: 'fr-CA' });
  const zoe = await createTestPerson(app, { subject, ...profile });
  const isVerified = async () => (await getAccount(zoe.context)).email_verified;
  return { app, anonymous, zoe, isVerified };
}

/** The messages so far, oldest first, with the token of the link in each. */
async function mailsOf(app: TestApp) {
  const rows = await app.db.selectFrom('outgoing_mails').selectAll().orderBy('id').execute();
  return rows.map((row) => {
    const message = sealedMailSchema.parse(JSON.parse(app.sealer.open(row.message_sealed, row.id)));
    const token = message.text.includes('/verify-email/')
      ? linkIn(message.text).pathname.split('/').at(-1)
      : '';
    return { recipient: row.recipient, subject: message.subject, token: token ?? '' };
  });
}

describe('an email address', () => {
  it('is verified by the link sent at the registration, in its language, and that is recorded', async () => {
    const { app, anonymous, isVerified } = await prepare();
    const [mail] = await mailsOf(app);
    expect(mail).toMatchObject({
      recipient: 'zoe@example.ca',
      subject: 'Confirmez votre adresse courriel · Portage',
    });
    expect(await isVerified()).toBe(false);
    expect(await verifyEmail(anonymous, { token: mail?.token ?? '' })).toEqual({ email: 'zoe@example.ca' });
    expect(await isVerified()).toBe(true);
    const events = await app.db
      .selectFrom('audit_events')
      .select('action')
      .where('action', '=', 'account.verify_email')
      .execute();
    expect(events).toHaveLength(1);
  });

  it('gives the same response when the link is opened again, and is recorded once, also when opened twice at the same time', async () => {
    const { app, anonymous, isVerified } = await prepare();
    const token = (await mailsOf(app))[0]?.token ?? '';
    const both = await Promise.all([verifyEmail(anonymous, { token }), verifyEmail(anonymous, { token })]);
    expect([...both, await verifyEmail(anonymous, { token })]).toEqual(
      Array(3).fill({ email: 'zoe@example.ca' }),
    );
    expect(await isVerified()).toBe(true);
    const events = await app.db.selectFrom('audit_events').select('action').execute();
    expect(events.filter(({ action }) => action === 'account.verify_email')).toHaveLength(1);
  });

  it('stays verified when the password is changed at the same time', async () => {
    const { app, anonymous, zoe, isVerified } = await prepare();
    const token = (await mailsOf(app))[0]?.token ?? '';
    const changed = updateAccount(zoe.context, {
      full_name: 'Zoé',
      email: 'zoe@example.ca',
      avatar_url: null,
      current_password: PASSWORD,
      new_password: 'a better horse battery',
    });
    await Promise.all([changed, verifyEmail(anonymous, { token })]);
    expect(await isVerified()).toBe(true);
  });

  it('is not verified by a link that is unknown, a day old, or older than a new one', async () => {
    const { app, anonymous, zoe, isVerified } = await prepare();
    const refused = (token: string) =>
      expect(verifyEmail(anonymous, { token })).rejects.toMatchObject({ code: 'mail_link_invalid' });
    await refused('A'.repeat(43));
    expect(await requestVerification(zoe.context, { language: 'fr-CA' })).toEqual({
      email: 'zoe@example.ca',
    });
    const [first, second] = await mailsOf(app);
    await refused(first?.token ?? '');
    app.clock.advance(DAY_MS);
    await refused(second?.token ?? '');
    expect(await isVerified()).toBe(false);
  });

  it('must be verified again when it changes: the new one gets a link, the old one is notified and its link is void', async () => {
    const { app, anonymous, zoe, isVerified } = await prepare();
    const [old] = await mailsOf(app);
    const profile = { full_name: 'Zoé', avatar_url: null, current_password: PASSWORD };
    const saved = await updateAccount(zoe.context, { ...profile, email: 'new@example.ca' });
    expect(saved.email_verified).toBe(false);
    const refused = verifyEmail(anonymous, { token: old?.token ?? '' });
    await expect(refused).rejects.toMatchObject({ code: 'mail_link_invalid' });
    const [, told, sent] = await mailsOf(app);
    expect(told).toMatchObject({
      recipient: 'zoe@example.ca',
      subject: 'Votre adresse courriel a été modifiée · Portage',
    });
    expect(sent?.recipient).toBe('new@example.ca');
    await verifyEmail(anonymous, { token: sent?.token ?? '' });
    expect(await isVerified()).toBe(true);
    // Another spelling of the same address is not another address.
    await updateAccount(zoe.context, { ...profile, email: 'NEW@example.ca' });
    expect(await isVerified()).toBe(true);
    await updateAccount(zoe.context, { ...profile, email: 'zoe@example.ca' });
    expect(await isVerified()).toBe(false);
  });

  it('is verified again at its owner’s request only, five times an hour, and not once it is verified', async () => {
    const { app, anonymous, zoe } = await prepare();
    await expect(requestVerification(anonymous, {})).rejects.toMatchObject({ code: 'unauthenticated' });
    const elsewhere = await createTestPerson(app, { issuer: 'https://git.example.ca', login: 'other' });
    await expect(requestVerification(elsewhere.context, {})).rejects.toMatchObject({ code: 'not_found' });
    for (let count = 0; count < 5; count += 1) await requestVerification(zoe.context, {});
    await expect(requestVerification(zoe.context, {})).rejects.toMatchObject({ code: 'too_many_requests' });
    await app.rateLimits.forget('mail_link_account', `verify ${zoe.user.subject}`);
    const mails = await mailsOf(app);
    await verifyEmail(anonymous, { token: mails.at(-1)?.token ?? '' });
    await requestVerification(zoe.context, {});
    expect(await mailsOf(app)).toHaveLength(mails.length);
  });

  it('cannot be changed again and again, which would fill the mailboxes of others', async () => {
    const { app, zoe } = await prepare();
    const change = (email: string) =>
      updateAccount(zoe.context, {
        full_name: 'Zoé',
        email,
        avatar_url: null,
        current_password: PASSWORD,
      });
    for (let count = 0; count < 5; count += 1) await change(`victim-${count}@example.ca`);
    const before = await mailsOf(app);
    await expect(change('victim@example.ca')).rejects.toMatchObject({ code: 'too_many_requests' });
    await expect(requestVerification(zoe.context, {})).rejects.toMatchObject({ code: 'too_many_requests' });
    expect(await mailsOf(app)).toEqual(before);
    expect(await getAccount(zoe.context)).toMatchObject({ email: 'victim-4@example.ca' });
  });

  it('is never verified when no email is sent', async () => {
    const { app, zoe, isVerified } = await prepare({});
    expect(await app.db.selectFrom('outgoing_mails').selectAll().execute()).toEqual([]);
    expect(await isVerified()).toBe(false);
    await expect(requestVerification(zoe.context, {})).rejects.toMatchObject({ code: 'mail_not_configured' });
  });
});

describe('a password changed in the profile', () => {
  it('is reported to the owner', async () => {
    const { app, zoe } = await prepare();
    await updateAccount(zoe.context, {
      full_name: 'Zoé',
      email: 'zoe@example.ca',
      avatar_url: null,
      current_password: PASSWORD,
      new_password: 'a better horse battery',
    });
    expect((await mailsOf(app)).at(-1)).toMatchObject({
      recipient: 'zoe@example.ca',
      subject: 'Votre mot de passe a été modifié · Portage',
    });
  });
});
