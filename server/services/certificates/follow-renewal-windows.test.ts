import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AuthorityError } from '#server/certificate-authority/authority.ts';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { countedPauses, createIssuingApp } from '#tests/support/certificates/issuing-app.ts';
import { followRenewalWindows } from './follow-renewal-windows.ts';
import { issueDueCertificates } from './issue-due-certificates.ts';
import { issueCertificate } from './issuing/issue-certificate.ts';

/** An issued certificate; `window` is the authority's renewal window, in days from then. */
async function prepare(window: { start: number; end: number } | null) {
  const world = await createIssuingApp();
  const { app, authority, context } = world;
  const begin = app.clock.now();
  const windowAt = (days: { start: number; end: number } | null) =>
    days === null
      ? null
      : {
          start: begin + days.start * DAY_MS,
          end: begin + days.end * DAY_MS,
          askAgainAt: app.clock.now() + 6 * HOUR_MS,
        };
  authority.window = windowAt(window);
  const { bundleId } = await world.addHostname('www.example.ca');
  const issue = () => issueCertificate(context, bundleId, { pause: countedPauses().pause });
  expect(await issue()).toEqual({ kind: 'issued' });
  return { ...world, begin, bundleId, issue, windowAt, read: () => world.readBundle(bundleId) };
}

describe('the window in which an authority wants a certificate renewed', () => {
  it('determines the time, at random within it, and is read again when the authority says', async () => {
    const { authority, app, context, read } = await prepare({ start: 50, end: 52 });
    const row = await read();
    expect(row.renew_at).toBeGreaterThanOrEqual(app.clock.now() + 50 * DAY_MS);
    expect(row.renew_at).toBeLessThanOrEqual(app.clock.now() + 52 * DAY_MS);
    expect(row.renewal_info_at).toBe(app.clock.now() + 6 * HOUR_MS);
    expect(await followRenewalWindows(context)).toEqual({ asked: 0, changed_hands: 0 });
    app.clock.advance(6 * HOUR_MS);
    expect(await followRenewalWindows(context)).toEqual({ asked: 1, changed_hands: 0 });
    expect(authority.calls.filter((call) => call === 'findRenewalWindow')).toHaveLength(2);
    // The drawn time is still within the window: it is not drawn again.
    expect((await read()).renew_at).toBe(row.renew_at);
  });

  it('that moves into the past renews now, naming what is replaced', async () => {
    const { app, authority, context, read, windowAt } = await prepare({ start: 50, end: 52 });
    const before = await read();
    app.clock.advance(7 * HOUR_MS);
    authority.window = windowAt({ start: -3, end: -2 });
    await followRenewalWindows(context);
    expect(await read()).toMatchObject({ renew_at: app.clock.now(), next_issue_at: app.clock.now() });
    authority.window = windowAt({ start: 51, end: 53 });
    expect(await issueDueCertificates(context)).toMatchObject({ issued: 1 });
    const after = await read();
    expect(after.private_key_sealed).not.toBe(before.private_key_sealed);
    expect(after.renew_at).toBeGreaterThan(app.clock.now() + 40 * DAY_MS);
    expect([...authority.orders.values()].at(-1)?.replaces).toBe(before.certificate);
    const actions = await app.db
      .selectFrom('audit_events')
      .select('action')
      .where('action', 'like', 'certificate.%')
      .orderBy('id')
      .execute();
    expect(actions.map(({ action }) => action)).toEqual(['certificate.issue', 'certificate.renew']);
  });

  it('is read later when the authority does not respond; the plan stays', async () => {
    const { app, authority, context, read } = await prepare({ start: 50, end: 52 });
    const before = await read();
    app.clock.advance(6 * HOUR_MS);
    authority.failNext('findRenewalWindow', new AuthorityError('unavailable', 'Service busy'));
    await followRenewalWindows(context);
    const after = await read();
    expect(after.renew_at).toBe(before.renew_at);
    expect(after.renewal_info_at).toBe(app.clock.now() + 6 * HOUR_MS);
  });

  it('that cannot be read is read later too, and does not block other certificates', async () => {
    const { app, authority, addHostname, context, read, readBundle, windowAt } = await prepare({
      start: 50,
      end: 52,
    });
    const { bundleId } = await addHostname('www.example.org');
    app.clock.advance(HOUR_MS);
    expect(await issueCertificate(context, bundleId, countedPauses())).toEqual({ kind: 'issued' });
    app.clock.advance(12 * HOUR_MS);
    authority.window = windowAt({ start: 40, end: 41 });
    authority.failNext('findRenewalWindow', new TypeError('a defect'));
    expect(await followRenewalWindows(context)).toEqual({ asked: 2, changed_hands: 0 });
    expect((await read()).renewal_info_at).toBe(app.clock.now() + 6 * HOUR_MS);
    expect((await readBundle(bundleId)).renew_at).toBeLessThan(app.clock.now() + 42 * DAY_MS);
    expect(await followRenewalWindows(context)).toEqual({ asked: 0, changed_hands: 0 });
  });

  it('does not disturb the attempts of a failing renewal', async () => {
    const { app, authority, context, read, issue } = await prepare({ start: 50, end: 52 });
    app.clock.advance(53 * DAY_MS);
    authority.failNext(
      'openOrder',
      new AuthorityError('limited', 'too many', { retryAt: app.clock.now() + DAY_MS }),
    );
    await issue();
    const { next_issue_at } = await read();
    await followRenewalWindows(context);
    expect((await read()).next_issue_at).toBe(next_issue_at);
  });
});

describe('a certificate whose authority has no opinion', () => {
  it('is renewed when a third of its lifetime is left, and the old one is served until the new one is ready', async () => {
    const { app, authority, context, read } = await prepare(null);
    const before = await read();
    expect(before.renewal_info_at).toBeNull();
    app.clock.advance(54 * DAY_MS);
    expect(await issueDueCertificates(context)).toEqual({ issued: 0, failed: 0, left: 0 });
    app.clock.advance(6 * DAY_MS + HOUR_MS);
    authority.failNext('finalize', new AuthorityError('unavailable', 'Service busy'));
    expect(await issueDueCertificates(context)).toMatchObject({ failed: 1 });
    const failed = await read();
    expect(failed.certificate).toBe(before.certificate);
    expect(failed).toMatchObject({ failure_code: 'authority_unavailable', attempts: 1 });
    app.clock.advance(Number(failed.next_issue_at) - app.clock.now());
    expect(await issueDueCertificates(context)).toMatchObject({ issued: 1 });
    const after = await read();
    expect(new X509Certificate(after.certificate ?? '').serialNumber).not.toBe(
      new X509Certificate(before.certificate ?? '').serialNumber,
    );
    expect(after).toMatchObject({ attempts: 0, failure_code: null });
    expect(authority.opened).toBe(2);
  });

  it('is reissued when another authority is configured', async () => {
    const { authority, context, read } = await prepare(null);
    expect(await followRenewalWindows(context)).toEqual({ asked: 0, changed_hands: 0 });
    authority.name = 'https://other.example/directory';
    expect(await followRenewalWindows(context)).toEqual({ asked: 0, changed_hands: 1 });
    expect(await issueDueCertificates(context)).toMatchObject({ issued: 1 });
    expect(await read()).toMatchObject({ authority: 'https://other.example/directory' });
    expect([...authority.orders.values()].at(-1)?.replaces).toBeNull();
    expect(await followRenewalWindows(context)).toEqual({ asked: 0, changed_hands: 0 });
  });
});
