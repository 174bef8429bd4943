import { Writable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { inTransaction } from '#db/transaction.ts';
import type { RequestContext } from '#server/context.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#server/durations.ts';
import { createLogger } from '#server/logging/logger.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { linkIn, openMailServer, openRudeMailServer } from '#tests/support/server/mail-server.ts';
import { composeInvitation } from './compose-invitation.ts';
import { purgeOldMails } from './purge-old-mails.ts';
import { type NewMail, queueMail } from './queue-mail.ts';
import { sendDueMails } from './send-due-mails.ts';

const LINK = 'http://localhost:3000/identity/invitations/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

async function prepare(url: string) {
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk: Buffer, _, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  const app = await createTestApp({
    environment: { MAIL_URL: url, MAIL_FROM: 'Portage Ébène <no-reply@example.ca>' },
    logger: createLogger('info', destination),
  });
  return { app, lines };
}

const jobOf = (app: TestApp): RequestContext => ({
  app,
  actor: { kind: 'job', name: 'send-due-mails' },
  requestId: 'request',
  address: '',
});

function invitation(app: TestApp, names: { organizationName?: string; inviterName?: string } = {}) {
  return composeInvitation(app, {
    organizationName: 'Les Éditions du Nord',
    inviterName: 'Zoé Tremblay',
    link: LINK,
    expiresAt: Date.UTC(2026, 2, 8),
    ...names,
  });
}

async function queue(app: TestApp, mail: Partial<NewMail> = {}) {
  await inTransaction(app.db, (trx) =>
    queueMail(trx, app, {
      recipient: 'ada@example.ca',
      message: invitation(app),
      resource_type: 'invitation',
      resource_id: 'one',
      ...mail,
    }),
  );
}

const rowsOf = (app: TestApp) => app.db.selectFrom('outgoing_mails').selectAll().orderBy('id').execute();

describe('a message', () => {
  it('reaches the mail server once, with its headers and both texts, and leaves a record without content', async () => {
    const server = await openMailServer();
    const { app, lines } = await prepare(server.url);
    await queue(app);
    const [queued] = await rowsOf(app);
    expect(queued?.message_sealed).not.toContain('identity');
    expect(await sendDueMails(jobOf(app))).toEqual({ sent: 1, deferred: 0, given_up: 0 });
    expect(await sendDueMails(jobOf(app))).toEqual({ sent: 0, deferred: 0, given_up: 0 });

    expect(server.received).toHaveLength(1);
    const [mail] = server.received;
    expect(mail).toMatchObject({ from: 'no-reply@example.ca', to: ['ada@example.ca'] });
    const header = (name: string) => mail?.headers.get(name);
    expect(header('from')).toBe('Portage Ébène <no-reply@example.ca>');
    expect(header('to')).toBe('ada@example.ca');
    expect(header('subject')).toBe('Invitation · Les Éditions du Nord · Portage');
    expect(header('message-id')).toBe(`<${queued?.id}@localhost>`);
    expect(new Date(header('date') ?? '').getTime()).toBe(app.clock.now());
    expect(header('auto-submitted')).toBe('auto-generated');
    expect(header('content-language')).toBe('en-CA, fr-CA');
    expect(linkIn(mail?.text ?? '').href).toBe(LINK);
    expect(mail?.text).toContain('Zoé Tremblay invites you to Les Éditions du Nord on Portage.');
    expect(mail?.text).toContain(
      'Zoé Tremblay vous invite à vous joindre à l’organisation Les Éditions du Nord sur Portage.',
    );
    expect(mail?.html).toContain(`<a href="${LINK}"`);
    expect(mail?.html).toContain('<div lang="fr-CA">');

    const [row] = await rowsOf(app);
    const now = app.clock.now();
    expect(row).toMatchObject({ message_sealed: '', sent_at: now, failed_at: null, next_attempt_at: null });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ recipient_domain: 'example.ca', about: 'invitation' });
    expect(lines.join()).not.toMatch(/ada@|identity\/|AAAA/);
  });

  it('cannot be abused through a name to say or reach anything else', async () => {
    const server = await openMailServer();
    const { app } = await prepare(server.url);
    const organizationName = 'a\r\nBcc: victim@example.com\r\n\r\n<script>alert(1)</script>';
    const inviterName = 'Win at https://evil.example/now & "more"';
    await queue(app, { message: invitation(app, { organizationName, inviterName }) });
    await sendDueMails(jobOf(app));
    const [mail] = server.received;
    expect(mail?.to).toEqual(['ada@example.ca']);
    expect([...(mail?.headers.keys() ?? [])].sort()).toEqual([
      'auto-submitted',
      'content-language',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ]);
    expect(mail?.html).not.toContain('<script>');
    expect(mail?.html).toContain('&lt;script&gt;');
    for (const text of [mail?.text, mail?.html.split('<body')[1]])
      expect(text).not.toMatch(/evil\.example|https:\/\/evil|victim@example/);
  });

  it('goes to exactly one address or is not written', async () => {
    const { app } = await prepare('smtp://127.0.0.1:9');
    const recipients = [
      'a@example.ca, b@example.ca',
      'a@example.ca\r\nBcc: b@example.ca',
      'Ada <a@example.ca>',
      '',
    ];
    for (const recipient of recipients) {
      await expect(queue(app, { recipient }), recipient).rejects.toMatchObject({ name: 'ZodError' });
    }
    expect(await rowsOf(app)).toEqual([]);
  });

  it('is never written when no email is configured', async () => {
    const app = await createTestApp();
    await queue(app);
    expect(await rowsOf(app)).toEqual([]);
    expect(await sendDueMails(jobOf(app))).toEqual({ sent: 0, deferred: 0, given_up: 0 });
  });

  it('without a recipient leaves a row like any other and is never sent', async () => {
    const server = await openMailServer();
    const { app } = await prepare(server.url);
    await queue(app, { recipient: null });
    expect(await sendDueMails(jobOf(app))).toEqual({ sent: 0, deferred: 0, given_up: 0 });
    expect(await rowsOf(app)).toMatchObject([{ recipient: '', message_sealed: '', next_attempt_at: null }]);
  });
});

describe('a mail server that says', () => {
  const answering = (responseCode: number, text: string) => ({
    onRcptTo: (_: unknown, __: unknown, done: (error?: Error) => void) =>
      done(Object.assign(new Error(text), { responseCode })),
  });

  it('"later" is tried again, less and less often, for a day', async () => {
    const server = await openMailServer(answering(451, 'greylisted'));
    const { app } = await prepare(server.url);
    await queue(app);
    const start = app.clock.now();
    const delays: number[] = [];
    for (let attempts = 0; attempts < 40; attempts += 1) {
      await sendDueMails(jobOf(app));
      const [row] = await rowsOf(app);
      if (row?.next_attempt_at == null) break;
      delays.push(row.next_attempt_at - app.clock.now());
      app.clock.advance(row.next_attempt_at - app.clock.now());
    }
    expect(app.clock.now() - start).toBe(24 * HOUR_MS);
    expect(delays[0]).toBeGreaterThanOrEqual(0.8 * MINUTE_MS);
    expect(delays[0]).toBeLessThanOrEqual(1.2 * MINUTE_MS);
    expect(Math.max(...delays)).toBeLessThanOrEqual(1.2 * 6 * HOUR_MS);
    expect(delays.length).toBeGreaterThan(8);
    const [row] = await rowsOf(app);
    expect(row).toMatchObject({ failed_at: app.clock.now(), sent_at: null, message_sealed: '' });
    expect(row?.last_error).toBe('451 RCPT TO greylisted');
  });

  it('"later" and then "yes" gets the message once', async () => {
    let refusals = 2;
    const server = await openMailServer({
      onRcptTo: (_, __, done) => {
        refusals -= 1;
        done(refusals >= 0 ? Object.assign(new Error('busy'), { responseCode: 450 }) : null);
      },
    });
    const { app } = await prepare(server.url);
    await queue(app);
    for (let minutes = 0; minutes < 6; minutes += 1) {
      await sendDueMails(jobOf(app));
      app.clock.advance(MINUTE_MS);
    }
    expect(server.received).toHaveLength(1);
    expect(await rowsOf(app)).toMatchObject([{ attempts: 3, last_error: null, message_sealed: '' }]);
  });

  it('"never" is not tried again; what it repeats of the message is not kept', async () => {
    const server = await openMailServer(answering(550, `no <ada@example.ca> here, ${LINK} is spam`));
    const { app, lines } = await prepare(server.url);
    await queue(app);
    expect(await sendDueMails(jobOf(app))).toEqual({ sent: 0, deferred: 0, given_up: 1 });
    expect(await rowsOf(app)).toMatchObject([
      {
        attempts: 1,
        next_attempt_at: null,
        message_sealed: '',
        last_error: '550 RCPT TO no … here, … is spam',
      },
    ]);
    expect(lines.join()).not.toMatch(/ada@|AAAA/);
  });

  it('"not you" to our sign-in keeps the message until that is fixed', async () => {
    const server = await openMailServer({
      onAuth: (_, __, done) => done(Object.assign(new Error('wrong password'), { responseCode: 535 })),
      allowInsecureAuth: true,
    });
    const { app, lines } = await prepare(server.url.replace('//', '//portage:geheim-und-lang@'));
    await queue(app);
    expect(await sendDueMails(jobOf(app))).toEqual({ sent: 0, deferred: 1, given_up: 0 });
    expect((await rowsOf(app))[0]?.last_error).toMatch(/^535 AUTH/);
    expect(lines.join()).not.toContain('geheim');
  });
});

describe('a mail server that', () => {
  it('is down is tried with a few messages at a time, and gets them all when it is back', async () => {
    const { app } = await prepare('smtp://127.0.0.1:9');
    for (let count = 0; count < 8; count += 1) await queue(app, { recipient: `p${count}@example.ca` });
    const { deferred, given_up } = await sendDueMails(jobOf(app));
    expect(given_up).toBe(0);
    expect(deferred).toBeGreaterThan(0);
    expect(deferred).toBeLessThanOrEqual(3);
    const server = await openMailServer();
    Object.assign(app.config, { mail: { url: server.url, from: 'no-reply@example.ca' } });
    app.clock.advance(2 * MINUTE_MS);
    expect(await sendDueMails(jobOf(app))).toEqual({ sent: 8, deferred: 0, given_up: 0 });
    expect(new Set(server.received.flatMap(({ to }) => to)).size).toBe(8);
  });

  it('hangs up in the middle of a message gets it again later, under the same Message-ID', async () => {
    const raw: string[] = [];
    const { app } = await prepare(
      await openRudeMailServer((socket, content) => {
        raw.push(content);
        socket.destroy();
      }),
    );
    await queue(app);
    expect(await sendDueMails(jobOf(app))).toEqual({ sent: 0, deferred: 1, given_up: 0 });
    expect(raw).toHaveLength(1);
    const server = await openMailServer();
    Object.assign(app.config, { mail: { url: server.url, from: 'no-reply@example.ca' } });
    app.clock.advance(2 * MINUTE_MS);
    expect(await sendDueMails(jobOf(app))).toEqual({ sent: 1, deferred: 0, given_up: 0 });
    const id = server.received[0]?.headers.get('message-id') ?? '';
    expect(id).not.toBe('');
    expect(raw[0]).toContain(id);
  });

  it('falls silent is abandoned after a while', async () => {
    const timeouts = { connectionMs: 300, greetingMs: 300, answerMs: 300, messageMs: 2000 };
    for (const url of [await openRudeMailServer(() => undefined), await openRudeMailServer(null)]) {
      const { app } = await prepare(url);
      await queue(app);
      expect(await sendDueMails(jobOf(app), timeouts)).toEqual({ sent: 0, deferred: 1, given_up: 0 });
    }
  });
});

describe('in transit', () => {
  it('a password is sent over TLS or not at all, except on this machine', async () => {
    const passwords: unknown[] = [];
    const server = await openMailServer({
      allowInsecureAuth: true,
      onAuth: ({ password }, _, done) => {
        passwords.push(password);
        done(null, { user: 'portage' });
      },
    });
    // To Linux this address is this machine too; to us it is any other.
    const { app } = await prepare(`smtp://portage:p%40ss@0.0.0.0:${server.port}`);
    await queue(app);
    expect(await sendDueMails(jobOf(app))).toEqual({ sent: 0, deferred: 1, given_up: 0 });
    expect([passwords, server.received]).toEqual([[], []]);
    const here = { url: `smtp://portage:p%40ss@localhost:${server.port}`, from: 'no-reply@example.ca' };
    Object.assign(app.config, { mail: here });
    app.clock.advance(2 * MINUTE_MS);
    expect(await sendDueMails(jobOf(app))).toEqual({ sent: 1, deferred: 0, given_up: 0 });
    expect(passwords).toEqual(['p@ss']);
  });

  it('a server whose certificate is not trusted gets nothing', async () => {
    // The test server warns about its own certificate, which is what this test is about.
    const warning = vi.spyOn(console, 'error').mockImplementationOnce(() => undefined);
    const server = await openMailServer({ secure: true });
    warning.mockClear();
    const { app, lines } = await prepare(server.url.replace('smtp:', 'smtps:'));
    await queue(app);
    expect(await sendDueMails(jobOf(app))).toEqual({ sent: 0, deferred: 1, given_up: 0 });
    expect(server.received).toEqual([]);
    expect(lines.join()).toMatch(/ESOCKET|ETLS/);
  });
});

describe('several nodes', () => {
  it('send each message once between them', async () => {
    const server = await openMailServer();
    const { app } = await prepare(server.url);
    for (let count = 0; count < 12; count += 1) await queue(app, { recipient: `p${count}@example.ca` });
    const results = await Promise.all([1, 2, 3].map(() => sendDueMails(jobOf(app))));
    expect(results.reduce((sum, { sent }) => sum + sent, 0)).toBe(12);
    expect(server.received).toHaveLength(12);
  });

  it('take over from one that has died, some minutes later', async () => {
    const server = await openMailServer();
    const { app } = await prepare(server.url);
    await queue(app);
    // What a node leaves behind that dies after it has taken the message.
    await app.db
      .updateTable('outgoing_mails')
      .set({ attempts: 1, next_attempt_at: app.clock.now() + 5 * MINUTE_MS })
      .execute();
    expect(await sendDueMails(jobOf(app))).toEqual({ sent: 0, deferred: 0, given_up: 0 });
    app.clock.advance(5 * MINUTE_MS);
    expect(await sendDueMails(jobOf(app))).toEqual({ sent: 1, deferred: 0, given_up: 0 });
  });
});

describe('a message that is no longer worth sending', () => {
  it('is abandoned when its link has expired', async () => {
    const server = await openMailServer();
    const { app } = await prepare(server.url);
    await queue(app, { expires_at: app.clock.now() + HOUR_MS });
    app.clock.advance(HOUR_MS);
    expect(await sendDueMails(jobOf(app))).toEqual({ sent: 0, deferred: 0, given_up: 1 });
    expect(await rowsOf(app)).toMatchObject([{ last_error: 'expired', message_sealed: '' }]);
    expect(server.received).toEqual([]);
  });

  it('is not abandoned at the first attempt after days without power, but after some more', async () => {
    const { app } = await prepare('smtp://127.0.0.1:9');
    await queue(app);
    app.clock.advance(3 * DAY_MS);
    const start = app.clock.now();
    for (let attempts = 1; attempts < 8; attempts += 1) {
      expect(await sendDueMails(jobOf(app))).toEqual({ sent: 0, deferred: 1, given_up: 0 });
      const [row] = await rowsOf(app);
      app.clock.advance((row?.next_attempt_at ?? 0) - app.clock.now());
    }
    expect(await sendDueMails(jobOf(app))).toEqual({ sent: 0, deferred: 0, given_up: 1 });
    expect(app.clock.now() - start).toBeLessThan(DAY_MS);
  });

  it('is abandoned when it cannot be opened', async () => {
    const { app } = await prepare('smtp://127.0.0.1:9');
    await queue(app);
    await app.db.updateTable('outgoing_mails').set({ message_sealed: 'v1.other.key.text' }).execute();
    expect(await sendDueMails(jobOf(app))).toEqual({ sent: 0, deferred: 0, given_up: 1 });
  });

  it('is deleted after thirty days', async () => {
    const { app } = await prepare('smtp://127.0.0.1:9');
    await queue(app);
    app.clock.advance(30 * 24 * HOUR_MS - 1);
    expect(await purgeOldMails(jobOf(app))).toEqual({ purged: 0 });
    app.clock.advance(1);
    expect(await purgeOldMails(jobOf(app))).toEqual({ purged: 1 });
  });
});
