import { describe, expect, it } from 'vitest';
import { AuthorityError } from '#server/certificate-authority/authority.ts';
import { MINUTE_MS } from '#server/durations.ts';
import { takeLease } from '#server/services/leases/take-lease.ts';
import { endLease } from '#tests/support/app/end-lease.ts';
import type { AuthorityCall } from '#tests/support/certificates/fake-authority.ts';
import { countedPauses, createIssuingApp, type IssuingApp } from '#tests/support/certificates/issuing-app.ts';
import { certificateLease, issueCertificate } from './issue-certificate.ts';

const HOSTNAME = 'www.example.ca';
/** What ends a process in the middle. */
const crash = () => new Error('the process was killed');

const ordersOf = ({ app }: IssuingApp) => app.db.selectFrom('certificate_orders').selectAll().execute();

async function prepare() {
  const world = await createIssuingApp();
  const { bundleId, ...made } = await world.addHostname(HOSTNAME);
  const { pause } = countedPauses();
  const issue = (options: Parameters<typeof issueCertificate>[2] = {}) =>
    issueCertificate(world.context, bundleId, { pause, ...options });
  return { ...world, ...made, bundleId, issue, read: () => world.readBundle(bundleId) };
}

describe('an issuance that a crash interrupts', () => {
  const steps: AuthorityCall[] = ['readOrder', 'answerChallenges', 'finalize', 'download'];

  it.each(steps)('continues the same order when it stops before %s', async (step) => {
    const world = await prepare();
    const { authority, issue } = world;
    authority.failNext(step, crash());
    await expect(issue()).rejects.toThrow('killed');
    const [order] = await ordersOf(world);
    expect(order?.order_url).toBe('https://ca.example/order/1');
    expect(await issue()).toEqual({ kind: 'issued' });
    expect(authority.opened).toBe(1);
  });

  it.each(steps)('continues the same order when the response to %s is lost', async (step) => {
    const world = await prepare();
    const { authority, issue } = world;
    authority.loseNext(step, crash());
    await expect(issue()).rejects.toThrow('killed');
    expect(await issue()).toEqual({ kind: 'issued' });
    expect(authority.opened).toBe(1);
    expect(authority.calls.filter((call) => call === 'finalize')).toHaveLength(1);
  });

  it('opens none before the key is stored, and keeps the key for the next attempt', async () => {
    const world = await prepare();
    world.authority.failNext('openOrder', crash());
    await expect(world.issue()).rejects.toThrow('killed');
    const [order] = await ordersOf(world);
    expect(order).toMatchObject({ order_url: '', step: 'order' });
    expect(await world.issue()).toEqual({ kind: 'issued' });
    expect((await world.read()).private_key_sealed).toBe(order?.key_sealed);
  });

  it('is continued by another node once the lease of the first is over', async () => {
    const world = await prepare();
    const { app, authority, bundleId, issue } = world;
    authority.failNext('finalize', crash());
    await expect(issue()).rejects.toThrow('killed');
    await takeLease(app, certificateLease(bundleId), 'a node that is gone', MINUTE_MS);
    expect(await issue()).toEqual({ kind: 'busy' });
    await endLease(app, certificateLease(bundleId));
    expect(await issue()).toEqual({ kind: 'issued' });
    expect(authority.opened).toBe(1);
  });

  it('starts over, once, when the order has expired meanwhile', async () => {
    const world = await prepare();
    const { authority, issue } = world;
    authority.failNext('answerChallenges', crash());
    await expect(issue()).rejects.toThrow('killed');
    authority.orders.clear();
    expect(await issue()).toEqual({ kind: 'issued' });
    authority.failNext('openOrder', new AuthorityError('gone', 'No such order.'));
    expect(await issue({ isForced: true })).toMatchObject({ kind: 'failed' });
  });

  it('starts over when the order expired: it is invalid without a stated reason', async () => {
    const world = await prepare();
    const { authority, issue } = world;
    authority.failNext('answerChallenges', crash());
    await expect(issue()).rejects.toThrow('killed');
    for (const [url, order] of authority.orders) authority.orders.set(url, { ...order, status: 'invalid' });
    expect(await issue()).toEqual({ kind: 'issued' });
    expect(authority.opened).toBe(2);
  });

  it('starts over at another authority: the order belongs to the previous one', async () => {
    const world = await prepare();
    const { authority, issue } = world;
    authority.failNext('answerChallenges', crash());
    await expect(issue()).rejects.toThrow('killed');
    authority.name = 'https://other.example/directory';
    expect(await issue()).toEqual({ kind: 'issued' });
    expect(authority.opened).toBe(2);
    expect((await world.read()).authority).toBe('https://other.example/directory');
  });
});
