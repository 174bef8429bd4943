import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { startWebhookReceiver } from '#tests/support/webhooks/webhook-receiver.ts';
import { jobOf, prepareWebhooks } from '#tests/support/webhooks/webhook-world.ts';
import { createWebhook } from './create-webhook.ts';
import { deliverWebhooks } from './deliver-webhooks.ts';
import { getWebhook } from './get-webhook.ts';
import { redeliverMessage } from './redeliver-message.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { ATTEMPTS_KEPT, WAITING_MAX } from './rules.ts';
import { sendTestEvent } from './send-test-event.ts';
import { updateWebhook } from './update-webhook.ts';

describe('a delivery', () => {
  it('follows no redirect', async () => {
    const { receiver, create, tell, deliver, messagesOf } = await prepareWebhooks();
    const { webhook } = await create();
    receiver.state.answer = (response) => {
      response.writeHead(302, { location: receiver.url });
      response.end();
    };
    await tell();
    await deliver();
    expect(receiver.received).toHaveLength(1);
    expect((await messagesOf(webhook.id))[0]?.attempts[0]).toMatchObject({
      status: 302,
      problem: 'redirected',
    });
  });

  it('reaches no internal address, whatever name leads there', async () => {
    const { lookup, create, tell, deliver, messagesOf, receiver } = await prepareWebhooks(
      {},
      { WEBHOOK_NETWORKS: '10.9.0.0/16' },
    );
    const expected: Record<string, string> = {
      'inside.example': 'address_refused',
      'both.example': 'address_refused',
      'mapped.example': 'address_refused',
      'nothing.example': 'name_unknown',
    };
    lookup.set('inside.example', { ipv4: ['127.0.0.1'] });
    lookup.set('both.example', { ipv4: ['8.8.8.8', '169.254.169.254'] });
    lookup.set('mapped.example', { ipv6: ['::ffff:127.0.0.1'] });
    const ids = new Map<string, string>();
    for (const host of Object.keys(expected)) {
      const { webhook } = await create({ url: `http://${host}:${receiver.port}/hook` });
      ids.set(host, webhook.id);
    }
    await tell();
    expect(await deliver()).toEqual({ attempts: 4 });
    for (const [host, id] of ids) {
      expect((await messagesOf(id))[0]?.attempts[0]).toMatchObject({ status: null, problem: expected[host] });
    }
    expect(receiver.received).toEqual([]);
  });

  it('goes to the address that was checked', async () => {
    const { lookup, create, tell, deliver, receiver } = await prepareWebhooks();
    lookup.set('receiver.example', { ipv4: ['127.0.0.1'] });
    await create({ url: `http://receiver.example:${receiver.port}/hook?key=1` });
    await tell();
    await deliver();
    expect(receiver.received).toMatchObject([{ path: '/hook?key=1' }]);
    expect(receiver.received[0]?.headers.host).toBe(`receiver.example:${receiver.port}`);
  });

  it('that is refused or interrupted says so', async () => {
    const { receiver, create, tell, deliver, messagesOf } = await prepareWebhooks();
    const away = await create({ url: 'http://127.0.0.1:9/' });
    const broken = await create();
    const plain = await create({ url: receiver.url.replace('http:', 'https:') });
    receiver.state.answer = (response) => response.destroy();
    await tell();
    await deliver();
    for (const { webhook } of [away, broken, plain]) {
      const [message] = await messagesOf(webhook.id);
      expect(message?.attempts[0]?.status).toBeNull();
      expect(['connection_failed', 'certificate_refused']).toContain(message?.attempts[0]?.problem);
    }
  });

  it('does not wait until more organizations than take turns have delivered many messages to slow receivers', async () => {
    const { app, context, receiver, create, tell, deliver } = await prepareWebhooks();
    const slow = await startWebhookReceiver();
    slow.state.answer = (response) => void setTimeout(() => response.writeHead(204).end(), 20);
    for (let index = 0; index < 34; index += 1) {
      const { organization, context: other } = await createTestPerson(app);
      await createWebhook(other, { url: slow.url, events: ['invoice.paid'] });
      for (let count = 0; count < 24; count += 1) await tell(`in_${count}`, organization.id);
    }
    app.clock.advance(60_000);
    await create();
    await tell('in_ours', context.organization.id);
    let before = 0;
    receiver.state.answer = (response) => {
      before = slow.received.length;
      response.writeHead(204).end();
    };
    expect(await deliver()).toEqual({ attempts: 34 * 24 + 1 });
    expect(before).toBeLessThan(600);
  });

  it('of one organization does not wait for another’s receiver', async () => {
    const { app, receiver, create, tell, messagesOf } = await prepareWebhooks();
    const { webhook } = await create();
    const other = await createTestPerson(app);
    const slow = await startWebhookReceiver();
    let answerSlow: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      slow.state.answer = (response) => {
        answerSlow = () => response.end();
        resolve();
      };
    });
    await createWebhook(other.context, { url: slow.url, events: ['invoice.paid'] });
    await tell('slow', other.context.organization.id);
    const delivering = deliverWebhooks(jobOf(app));
    await asked;
    await tell();
    await expect.poll(() => receiver.received.length).toBe(1);
    expect((await messagesOf(webhook.id))[0]).toMatchObject({ event: 'invoice.paid' });
    answerSlow();
    await delivering;
  });

  it('does not wait for another receiver of its organization that has many messages and never answers', async () => {
    const { receiver, create, tell, messagesOf, app } = await prepareWebhooks();
    const silent = await startWebhookReceiver();
    silent.state.answer = () => undefined;
    await create({ url: silent.url });
    for (let count = 0; count < 40; count += 1) await tell(`in_${count}`);
    const stopping = new AbortController();
    const delivering = deliverWebhooks(jobOf(app), stopping.signal);
    await expect.poll(() => silent.received.length).toBeGreaterThan(0);
    const { webhook } = await create();
    await tell('ours');
    await expect.poll(() => receiver.received.length, { timeout: 5_000 }).toBe(1);
    await expect.poll(async () => (await messagesOf(webhook.id))[0]?.status).toBe('delivered');
    stopping.abort();
    await delivering;
  });

  it('is made by one of two nodes', async () => {
    const { app, receiver, create, tell } = await prepareWebhooks();
    await create();
    await tell();
    const made = await Promise.all([deliverWebhooks(jobOf(app)), deliverWebhooks(jobOf(app))]);
    expect(made.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(1);
    expect(receiver.received).toHaveLength(1);
  });

  it('that our own shutdown interrupts is due again', async () => {
    const { app, receiver, create, tell, messagesOf } = await prepareWebhooks();
    const { webhook } = await create();
    const stopping = new AbortController();
    receiver.state.answer = () => stopping.abort();
    await tell();
    await deliverWebhooks(jobOf(app), stopping.signal);
    expect((await messagesOf(webhook.id))[0]).toMatchObject({ status: 'waiting', attempts: [] });
    receiver.state.answer = (response) => response.end();
    expect(await deliverWebhooks(jobOf(app))).toEqual({ attempts: 1 });
  });

  it('beyond a thousand waiting ones is counted and not kept', async () => {
    const { app, context, create, tell } = await prepareWebhooks();
    const { webhook } = await create();
    await tell();
    const row = await app.db.selectFrom('webhook_messages').selectAll().executeTakeFirstOrThrow();
    const copies = Array.from({ length: WAITING_MAX - 1 }, (_, index) => ({ ...row, id: `copy-${index}` }));
    for (let at = 0; at < copies.length; at += 100) {
      await app.db
        .insertInto('webhook_messages')
        .values(copies.slice(at, at + 100))
        .execute();
    }
    await tell();
    await tell();
    expect(await getWebhook(context, { webhook_id: webhook.id })).toMatchObject({ not_kept: 2 });
    await expect(sendTestEvent(context, { webhook_id: webhook.id })).rejects.toMatchObject({
      code: 'too_many_requests',
    });
  });

  it.each([
    [429, '3600', 3_600_000],
    [503, '99999999999999999999', 12 * 3_600_000],
    [503, 'soon', 5_000],
    [500, '3600', 5_000],
  ])(
    'whose receiver responds %s with Retry-After: %s is retried after as long, and so is what waits with it',
    async (status, retryAfter, waitMs) => {
      const { app, receiver, create, tell, deliver, messagesOf } = await prepareWebhooks();
      const { webhook } = await create();
      receiver.state.answer = (response) => response.writeHead(status, { 'retry-after': retryAfter }).end();
      for (let count = 0; count < 8; count += 1) await tell(`in_${count}`);
      await deliver();
      const isAsked = waitMs > 5_000;
      // Two are under way when the first response arrives.
      if (isAsked) expect(receiver.received.length).toBeLessThanOrEqual(2);
      else expect(receiver.received).toHaveLength(8);
      const waits = (await messagesOf(webhook.id)).map(
        ({ next_attempt_at }) => Date.parse(next_attempt_at ?? '') - app.clock.now(),
      );
      expect(waits).toHaveLength(8);
      for (const wait of waits) {
        expect(wait).toBeGreaterThanOrEqual(waitMs);
        expect(wait).toBeLessThanOrEqual(isAsked ? waitMs : 1.1 * waitMs);
      }
    },
  );

  it('uses the address and the secret that a webhook has when it is sent', async () => {
    const { context, receiver, create, tell, deliver } = await prepareWebhooks();
    const { webhook } = await create();
    for (let count = 0; count < 4; count += 1) await tell(`in_${count}`);
    const moved = await startWebhookReceiver();
    const change = async (response: ServerResponse) => {
      // In this order, so that whatever is sent to the new address is sent after both.
      await rotateWebhookSecret(context, { webhook_id: webhook.id });
      await updateWebhook(context, { webhook_id: webhook.id, url: moved.url });
      response.end();
    };
    receiver.state.answer = (response) => void change(response);
    await deliver();
    expect(receiver.received.length).toBeLessThanOrEqual(2);
    expect(receiver.received.length + moved.received.length).toBe(4);
    for (const { headers } of moved.received) {
      expect(String(headers['webhook-signature']).split(' ').length).toBeGreaterThan(1);
    }
  });

  it('whose redelivery is requested while it is under way is made once more', async () => {
    const { context, receiver, create, tell, deliver, messagesOf } = await prepareWebhooks();
    const { webhook } = await create();
    await tell();
    const request = async (response: ServerResponse) => {
      const [message] = await messagesOf(webhook.id);
      await redeliverMessage(context, { webhook_id: webhook.id, message_id: message?.id ?? '' });
      receiver.state.answer = (next) => next.writeHead(204).end();
      response.writeHead(500).end();
    };
    receiver.state.answer = (response) => void request(response);
    await deliver();
    expect((await messagesOf(webhook.id))[0]).toMatchObject({
      status: 'delivered',
      attempts: [{ status: 204 }, { status: 500 }],
    });
  });

  it.each([
    [204, 'delivered'],
    [500, 'failed'],
  ])('that a pause and its end overtake, and that gets %s, is %s', async (status, state) => {
    const { context, receiver, create, tell, deliver, messagesOf } = await prepareWebhooks();
    const { webhook } = await create();
    await tell();
    const overtake = async (response: ServerResponse) => {
      await updateWebhook(context, { webhook_id: webhook.id, is_paused: true });
      await updateWebhook(context, { webhook_id: webhook.id, is_paused: false });
      response.writeHead(status).end();
    };
    receiver.state.answer = (response) => void overtake(response);
    await deliver();
    expect((await messagesOf(webhook.id))[0]).toMatchObject({ status: state, next_attempt_at: null });
    expect(receiver.received).toHaveLength(1);
  });

  it('that is requested again and again keeps its last attempts', async () => {
    const { app, context, create, tell, deliver, messagesOf } = await prepareWebhooks();
    const { webhook } = await create();
    await tell();
    await deliver();
    for (let count = 0; count < ATTEMPTS_KEPT + 2; count += 1) {
      app.clock.advance(1_000);
      const [message] = await messagesOf(webhook.id);
      await redeliverMessage(context, { webhook_id: webhook.id, message_id: message?.id ?? '' });
      await deliver();
    }
    const [message] = await messagesOf(webhook.id);
    expect(message?.attempts).toHaveLength(ATTEMPTS_KEPT);
    expect(Date.parse(message?.attempts[0]?.at ?? '')).toBe(app.clock.now());
  });
});
