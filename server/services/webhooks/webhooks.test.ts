import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { inTransaction } from '#db/transaction.ts';
import { DAY_MS } from '#server/durations.ts';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { createMember } from '#tests/support/app/named-organization.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { LOCAL_WEBHOOKS } from '#tests/support/webhooks/webhook-receiver.ts';
import { jobOf, prepareWebhooks } from '#tests/support/webhooks/webhook-world.ts';
import { rollbackSite } from '../deployments/rollback-site.ts';
import { createSite } from '../sites/create-site.ts';
import { createWebhook } from './create-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { deliverWebhooks } from './deliver-webhooks.ts';
import { getWebhook } from './get-webhook.ts';
import { listMessages } from './list-messages.ts';
import { listWebhooks } from './list-webhooks.ts';
import { purgeWebhookMessages } from './purge-webhook-messages.ts';
import { redeliverMessage } from './redeliver-message.ts';
import { removeWebhooks } from './remove-webhooks.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { ATTEMPTS_MAX, WEBHOOKS_MAX } from './rules.ts';
import { sendTestEvent } from './send-test-event.ts';
import { updateWebhook } from './update-webhook.ts';

const MAIL = { MAIL_URL: 'smtp://mail.example.ca', MAIL_FROM: 'Portage <portage@example.ca>' };

describe('a webhook', () => {
  it('receives the events it listens to, signed, once, and its log says so', async () => {
    const { app, context, receiver, create, tell, deliver, messagesOf } = await prepareWebhooks();
    const { webhook, secret } = await create();
    await create({ events: ['invoice.issued'] });
    await tell();
    expect(await deliver()).toEqual({ attempts: 1 });
    expect(await deliver()).toEqual({ attempts: 0 });
    const [sent] = receiver.received;
    expect(receiver.received).toHaveLength(1);
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      type: 'invoice.paid',
      timestamp: new Date(app.clock.now()).toISOString(),
      data: { organization_id: context.organization.id, invoice_id: 'in_1', number: null, amount_cents: 100 },
    });
    const id = String(sent?.headers['webhook-id']);
    const timestamp = String(sent?.headers['webhook-timestamp']);
    expect(Number(timestamp)).toBe(Math.floor(app.clock.now() / 1000));
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${sent?.body}`).digest('base64');
    expect(sent?.headers['webhook-signature']).toBe(`v1,${expected}`);
    expect(sent?.headers['content-type']).toBe('application/json');
    const [message] = await messagesOf(webhook.id);
    expect(message).toMatchObject({ id, event: 'invoice.paid', status: 'delivered', next_attempt_at: null });
    expect(message?.attempts).toMatchObject([{ status: 204, problem: null }]);
    const known = await getWebhook(context, { webhook_id: webhook.id });
    expect(known).toMatchObject({ failing_since: null });
    expect(known.last_delivered_at).not.toBeNull();
  });

  it('receives deploys and rollbacks with the versions, in the transaction of each', async () => {
    const { context, receiver, create, deliver } = await prepareWebhooks();
    await create({ events: ['deploy.published', 'deploy.rolled_back'] });
    const site = await createSite(context, { name: 'Blog' });
    const first = await deployTestFiles(context, site.id, { 'index.html': 'one' });
    await deployTestFiles(context, site.id, { 'index.html': 'two' });
    await rollbackSite(context, { site_id: site.id, version_id: first.version_id });
    await deliver();
    const told = receiver.received
      .map(({ body }) => JSON.parse(body))
      .sort((a, b) => (a.type < b.type ? -1 : 1));
    expect(told.map(({ type }) => type)).toEqual([
      'deploy.published',
      'deploy.published',
      'deploy.rolled_back',
    ]);
    expect(told.at(-1).data).toMatchObject({
      site_id: site.id,
      site_name: 'Blog',
      version_id: first.version_id,
      version_number: 1,
      reverted: 1,
      actor: { kind: 'person' },
    });
  });

  it('is retried after growing pauses, under the same id, and abandoned after eight attempts', async () => {
    const { app, context, receiver, create, tell, deliver, messagesOf } = await prepareWebhooks();
    const { webhook } = await create();
    receiver.state.answer = (response) => {
      response.statusCode = 500;
      response.end(`oh no\0${'x'.repeat(100_000)}`);
    };
    await tell();
    for (let attempt = 1; attempt < ATTEMPTS_MAX; attempt += 1) {
      expect(await deliver()).toEqual({ attempts: 1 });
      expect(await deliver()).toEqual({ attempts: 0 });
      const [message] = await messagesOf(webhook.id);
      expect(message).toMatchObject({ status: 'waiting' });
      app.clock.advance(Date.parse(message?.next_attempt_at ?? '') - app.clock.now());
    }
    await deliver();
    const [message] = await messagesOf(webhook.id);
    expect(message).toMatchObject({ status: 'failed', next_attempt_at: null });
    expect(message?.attempts).toHaveLength(ATTEMPTS_MAX);
    expect(message?.attempts[0]).toMatchObject({ status: 500, problem: 'status' });
    expect(message?.attempts[0]?.answer?.startsWith('oh nox')).toBe(true);
    expect(message?.attempts[0]?.answer?.length).toBeLessThanOrEqual(1_024);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    receiver.state.answer = (response) => response.end('thanks');
    await redeliverMessage(context, { webhook_id: webhook.id, message_id: message?.id ?? '' });
    await deliver();
    expect((await messagesOf(webhook.id))[0]).toMatchObject({ status: 'delivered' });
    expect(receiver.received).toHaveLength(ATTEMPTS_MAX + 1);
  });

  it('is paused once nothing has reached it for three days and a message has failed in all attempts, and administrators are emailed', async () => {
    const { app, context, receiver, create, tell, deliver, messagesOf } = await prepareWebhooks(
      {},
      { ...LOCAL_WEBHOOKS, ...MAIL },
    );
    const { webhook } = await create();
    receiver.state.answer = (response) => {
      response.statusCode = 503;
      response.end();
    };
    const failToTheEnd = async () => {
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
        expect(await getWebhook(context, { webhook_id: webhook.id })).toMatchObject({ status: 'active' });
        await deliver();
        const next = (await messagesOf(webhook.id))[0]?.next_attempt_at;
        if (next) app.clock.advance(Date.parse(next) - app.clock.now());
      }
    };
    await tell();
    await failToTheEnd();
    app.clock.advance(3 * DAY_MS);
    await tell('in_3');
    app.clock.advance(1);
    await tell('in_2');
    await failToTheEnd();
    const known = await getWebhook(context, { webhook_id: webhook.id });
    expect(known).toMatchObject({ status: 'paused', pause_reason: 'failing' });
    const states = (await messagesOf(webhook.id)).map(({ status }) => status);
    expect(states).toEqual(['failed', 'failed', 'failed']);
    const mails = await app.db.selectFrom('outgoing_mails').select('resource_type').execute();
    expect(mails).toEqual([{ resource_type: 'webhook' }]);
    await tell('in_4');
    expect(await messagesOf(webhook.id)).toHaveLength(3);
    await expect(sendTestEvent(context, { webhook_id: webhook.id })).rejects.toMatchObject({
      code: 'webhook_paused',
    });
    receiver.state.answer = (response) => response.end();
    await updateWebhook(context, { webhook_id: webhook.id, is_paused: false });
    await sendTestEvent(context, { webhook_id: webhook.id });
    await deliver();
    expect((await messagesOf(webhook.id))[0]).toMatchObject({ event: 'webhook.test', status: 'delivered' });
    expect(await getWebhook(context, { webhook_id: webhook.id })).toMatchObject({
      status: 'active',
      failing_since: null,
    });
  });

  it('whose address is changed has three days again', async () => {
    const { app, context, receiver, create, tell, deliver } = await prepareWebhooks();
    const { webhook } = await create();
    receiver.state.answer = (response) => {
      response.statusCode = 404;
      response.end();
    };
    await tell();
    await deliver();
    const read = () => getWebhook(context, { webhook_id: webhook.id });
    const failingSince = (await read()).failing_since;
    expect(failingSince).not.toBeNull();
    const same = { webhook_id: webhook.id, url: `${receiver.url}#part`, description: 'Same address' };
    await updateWebhook(context, same);
    expect(await read()).toMatchObject({ failing_since: failingSince });
    app.clock.advance(DAY_MS);
    const moved = { webhook_id: webhook.id, url: `${receiver.url}/moved` };
    expect(await updateWebhook(context, moved)).toMatchObject({ failing_since: null });
  });

  it('changes and records nothing when the same is stored again', async () => {
    const { app, context, create } = await prepareWebhooks();
    const { webhook } = await create();
    const { url, events } = webhook;
    const settings = { webhook_id: webhook.id, url, events, description: 'Chat', is_paused: true };
    const stored = await updateWebhook(context, settings);
    const readRows = async () => [
      await app.db.selectFrom('webhooks').selectAll().execute(),
      await app.db.selectFrom('audit_events').select('id').execute(),
    ];
    const before = await readRows();
    app.clock.advance(1_000);
    expect(await updateWebhook(context, settings)).toEqual(stored);
    expect(await updateWebhook(context, { webhook_id: webhook.id })).toEqual(stored);
    expect(await readRows()).toEqual(before);
  });

  it('is not paused because a clock has gone days ahead', async () => {
    const { app, context, receiver, create, tell, deliver, messagesOf } = await prepareWebhooks();
    const { webhook } = await create();
    receiver.state.answer = (response) => {
      response.statusCode = 503;
      response.end();
    };
    await tell();
    for (let attempt = 1; attempt < ATTEMPTS_MAX; attempt += 1) {
      await deliver();
      const next = (await messagesOf(webhook.id))[0]?.next_attempt_at ?? '';
      app.clock.advance(Date.parse(next) - app.clock.now());
    }
    app.clock.advance(4 * DAY_MS);
    await deliverWebhooks(jobOf(app), undefined, async () => false);
    expect(await messagesOf(webhook.id)).toMatchObject([{ status: 'failed' }]);
    expect(await getWebhook(context, { webhook_id: webhook.id })).toMatchObject({ status: 'active' });
  });

  it('that answers 410 is paused immediately', async () => {
    const { context, receiver, create, tell, deliver, messagesOf } = await prepareWebhooks();
    const { webhook } = await create();
    receiver.state.answer = (response) => {
      response.statusCode = 410;
      response.end();
    };
    await tell();
    await deliver();
    expect(await getWebhook(context, { webhook_id: webhook.id })).toMatchObject({ pause_reason: 'gone' });
    expect(await messagesOf(webhook.id)).toMatchObject([{ status: 'failed', attempts: [{ status: 410 }] }]);
  });

  it('that is resumed and paused again and again does not fill the mailboxes of the administrators', async () => {
    const { app, context, receiver, create, deliver } = await prepareWebhooks(
      {},
      { ...LOCAL_WEBHOOKS, ...MAIL },
    );
    app.rateLimits = createRateLimits({ notice_recipient: { points: 2, seconds: 3600 } });
    const { webhook } = await create();
    receiver.state.answer = (response) => {
      response.statusCode = 410;
      response.end();
    };
    for (let round = 0; round < 4; round += 1) {
      await updateWebhook(context, { webhook_id: webhook.id, is_paused: false });
      await sendTestEvent(context, { webhook_id: webhook.id });
      await deliver();
      expect(await getWebhook(context, { webhook_id: webhook.id })).toMatchObject({ pause_reason: 'gone' });
    }
    expect(await app.db.selectFrom('outgoing_mails').select('id').execute()).toHaveLength(2);
  });

  it('is signed with both secrets for a day after a rotation', async () => {
    const { app, context, receiver, create, tell, deliver } = await prepareWebhooks();
    const { webhook, secret } = await create();
    const rotated = await rotateWebhookSecret(context, { webhook_id: webhook.id });
    expect(rotated.secret).not.toBe(secret);
    expect(rotated.webhook.former_secret_until).not.toBeNull();
    await tell();
    await deliver();
    app.clock.advance(DAY_MS + 1);
    await tell();
    await deliver();
    const signatures = receiver.received.map(({ headers }) =>
      String(headers['webhook-signature']).split(' '),
    );
    expect(signatures.map(({ length }) => length)).toEqual([2, 1]);
    expect(await listWebhooks(context)).toMatchObject([{ former_secret_until: null }]);
  });

  it('is signed with the secrets of both people who replace it at the same time', async () => {
    const { app, context, receiver, create, tell, deliver } = await prepareWebhooks();
    const { webhook } = await create();
    const rotate = () => rotateWebhookSecret(context, { webhook_id: webhook.id });
    for (let round = 0; round < 5; round += 1) {
      const ended = await atOnce(app, [rotate, rotate]);
      await tell();
      await deliver();
      const { headers, body } = receiver.received[round] ?? {};
      const about = `${headers?.['webhook-id']}.${headers?.['webhook-timestamp']}.${body}`;
      const expected = ended.map((each) => {
        if (each.status === 'rejected') throw each.reason;
        const key = Buffer.from(each.value.secret.replace('whsec_', ''), 'base64');
        return `v1,${createHmac('sha256', key).update(about).digest('base64')}`;
      });
      expect(String(headers?.['webhook-signature']).split(' ').sort()).toEqual(expected.sort());
    }
  });

  it('loses its waiting messages when it is deleted, or its organization is closed', async () => {
    const { app, context, receiver, create, tell, deliver } = await prepareWebhooks();
    const { webhook } = await create();
    await create();
    await tell();
    await deleteWebhook(context, { webhook_id: webhook.id });
    expect(await listWebhooks(context)).toHaveLength(1);
    await inTransaction(app.db, (trx) => removeWebhooks(trx, context.organization.id));
    expect(await deliver()).toEqual({ attempts: 0 });
    expect(receiver.received).toEqual([]);
    expect(await app.db.selectFrom('webhook_messages').select('id').execute()).toEqual([]);
  });

  it('keeps its log for thirty days, in pages, by state', async () => {
    const { app, context, create, tell, deliver } = await prepareWebhooks();
    const { webhook } = await create();
    for (const id of ['a', 'b', 'c']) await tell(id);
    await deliver();
    await tell('d');
    const of = { webhook_id: webhook.id };
    const first = await listMessages(context, { ...of, limit: 3 });
    const second = await listMessages(context, { ...of, limit: 3, cursor: first.next_cursor ?? '' });
    const bodies = [...first.items, ...second.items].map(({ body }) => JSON.parse(body).data.invoice_id);
    expect(bodies).toEqual(['d', 'c', 'b', 'a']);
    expect(second.next_cursor).toBeNull();
    expect((await listMessages(context, { ...of, status: 'waiting' })).items).toHaveLength(1);
    expect((await listMessages(context, { ...of, status: 'delivered' })).items).toHaveLength(3);
    expect((await listMessages(context, { ...of, status: 'failed' })).items).toEqual([]);
    expect(await purgeWebhookMessages(jobOf(app))).toEqual({ purged: 0 });
    expect(await purgeWebhookMessages(jobOf(app), undefined, 3)).toEqual({ purged: 1 });
    expect(await purgeWebhookMessages(jobOf(app), undefined, 0)).toEqual({ purged: 2 });
    expect((await listMessages(context, of)).items).toMatchObject([{ status: 'waiting' }]);
    app.clock.advance(30 * DAY_MS);
    expect(await purgeWebhookMessages(jobOf(app))).toEqual({ purged: 1 });
    expect(await app.db.selectFrom('webhook_attempts').select('id').execute()).toEqual([]);
  });
});

describe('who may have webhooks, and which', () => {
  it('only administrators, ten at most, also concurrently', async () => {
    const { app, context, create, receiver } = await prepareWebhooks();
    const { context: writer } = await createMember(context, 'write');
    const input = { url: 'https://hooks.example.ca/', events: ['invoice.paid' as const] };
    await expect(createWebhook(writer, input)).rejects.toMatchObject({ code: 'permission_required' });
    const made = await Promise.allSettled(Array.from({ length: 12 }, () => create()));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(WEBHOOKS_MAX);
    await expect(create()).rejects.toMatchObject({ code: 'webhook_limit' });
    const origins = (await listWebhooks(writer)).map(({ url }) => url);
    expect(new Set(origins)).toEqual(new Set([new URL(receiver.url).origin]));
    const stranger = await createTestPerson(app);
    const [webhook] = await listWebhooks(context);
    const theirs = { webhook_id: webhook?.id ?? '' };
    for (const attempt of [getWebhook, deleteWebhook, rotateWebhookSecret, sendTestEvent, listMessages]) {
      await expect(attempt(stranger.context, theirs)).rejects.toMatchObject({ code: 'webhook_not_found' });
    }
  });

  it('addresses that visibly lead inside, by http or with a user name in them are refused', async () => {
    const { create, app, context } = await prepareWebhooks({}, {});
    for (const url of [
      'http://hooks.example.ca/',
      'https://user:password@hooks.example.ca/',
      'https://127.0.0.1/',
      'https://2130706433/',
      'https://[::1]/',
      'https://[::ffff:10.0.0.1]/',
      'https://localhost/',
      'https://metadata.localhost/',
      'https://localhost./',
      'https://169.254.169.254/latest',
    ]) {
      await expect(create({ url })).rejects.toMatchObject({ code: 'webhook_url_refused' });
    }
    for (const url of ['ftp://hooks.example.ca', 'nonsense', `https://x.example/${'a'.repeat(2_000)}`, '']) {
      await expect(create({ url })).rejects.toMatchObject({ name: 'ZodError' });
    }
    await expect(create({ events: [] })).rejects.toMatchObject({ name: 'ZodError' });
    const { webhook } = await create({
      url: 'https://hooks.example.ca/in#part',
      events: ['invoice.paid', 'invoice.paid'],
    });
    expect(webhook).toMatchObject({ url: 'https://hooks.example.ca/in', events: ['invoice.paid'] });
    await expect(
      updateWebhook(context, { webhook_id: webhook.id, url: 'https://10.0.0.1/' }),
    ).rejects.toMatchObject({ code: 'webhook_url_refused' });
    const changed = await updateWebhook(context, {
      webhook_id: webhook.id,
      description: 'Chat',
      is_paused: true,
    });
    expect(changed).toMatchObject({ description: 'Chat', status: 'paused', pause_reason: 'person' });
    const stored = JSON.stringify(
      await app.db.selectFrom('audit_events').select(['before', 'after']).execute(),
    );
    expect(stored).not.toContain('/in');
  });
});
