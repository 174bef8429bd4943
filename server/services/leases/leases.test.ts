import { describe, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '#server/durations.ts';
import { endLease } from '#tests/support/app/end-lease.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { isLeaseHeld } from './is-lease-held.ts';
import { releaseLease } from './release-lease.ts';
import { takeLease } from './take-lease.ts';

describe('a lease', () => {
  it('has one holder at a time, however many ask at once', async () => {
    const app = await createTestApp();
    const taken = await Promise.all(
      ['a', 'b', 'c', 'd'].map((holder) => takeLease(app, 'clean-up', holder, MINUTE_MS)),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  it('is renewed by its holder', async () => {
    const app = await createTestApp();
    const end = async () =>
      (await app.db.selectFrom('leases').select('expires_at').executeTakeFirst())?.expires_at;
    expect(await takeLease(app, 'clean-up', 'a', MINUTE_MS)).toBe(true);
    const before = await end();
    expect(await takeLease(app, 'clean-up', 'a', 2 * MINUTE_MS)).toBe(true);
    expect((await end()) ?? 0).toBeGreaterThanOrEqual((before ?? 0) + MINUTE_MS);
    expect(await takeLease(app, 'clean-up', 'b', MINUTE_MS)).toBe(false);
  });

  it('passes on once it has expired: a holder that crashed does not block others forever', async () => {
    const app = await createTestApp();
    await takeLease(app, 'clean-up', 'a', MINUTE_MS);
    expect(await isLeaseHeld(app, 'clean-up')).toBe(true);
    await endLease(app, 'clean-up');
    expect(await isLeaseHeld(app, 'clean-up')).toBe(false);
    expect(await takeLease(app, 'clean-up', 'b', MINUTE_MS)).toBe(true);
  });

  it('follows the clock of the database: a node with a wrong clock takes none from another', async () => {
    const app = await createTestApp();
    const ahead = { ...app, clock: { now: () => Date.now() + 365 * 24 * 60 * MINUTE_MS } };
    const behind = { ...app, clock: { now: () => 0 } };
    expect(await takeLease(app, 'clean-up', 'a', MINUTE_MS)).toBe(true);
    expect(await takeLease(ahead, 'clean-up', 'b', MINUTE_MS)).toBe(false);
    expect(await isLeaseHeld(ahead, 'clean-up')).toBe(true);
    await endLease(app, 'clean-up');
    expect(await takeLease(behind, 'clean-up', 'b', MINUTE_MS)).toBe(true);
  });

  it('of a holder that crashed passes on when the clock of the database is set back', async () => {
    const app = await createTestApp();
    await takeLease(app, 'clean-up', 'a', MINUTE_MS);
    await app.db
      .updateTable('leases')
      .set(({ eb }) => ({ expires_at: eb('expires_at', '+', 30 * DAY_MS) }))
      .execute();
    expect(await takeLease(app, 'clean-up', 'b', MINUTE_MS)).toBe(true);
    expect(await takeLease(app, 'clean-up', 'a', MINUTE_MS)).toBe(false);
  });

  it('is released only by its holder', async () => {
    const app = await createTestApp();
    await takeLease(app, 'clean-up', 'a', MINUTE_MS);
    await releaseLease(app, 'clean-up', 'b');
    expect(await takeLease(app, 'clean-up', 'b', MINUTE_MS)).toBe(false);
    await releaseLease(app, 'clean-up', 'a');
    expect(await takeLease(app, 'clean-up', 'b', MINUTE_MS)).toBe(true);
  });
});
