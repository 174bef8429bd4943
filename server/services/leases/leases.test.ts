import { describe, expect, it } from 'vitest';
import { createTestApp } from '#tests/support/test-app.ts';
import { releaseLease } from './release-lease.ts';
import { takeLease } from './take-lease.ts';

const MINUTE_MS = 60_000;

describe('a lease', () => {
  it('has one holder at a time, however many ask at once', async () => {
    const app = await createTestApp();
    const ends = app.clock.now() + MINUTE_MS;
    const taken = await Promise.all(
      ['a', 'b', 'c', 'd'].map((holder) => takeLease(app, 'clean-up', holder, ends)),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  it('is renewed by its holder', async () => {
    const app = await createTestApp();
    expect(await takeLease(app, 'clean-up', 'a', app.clock.now() + MINUTE_MS)).toBe(true);
    app.clock.advance(MINUTE_MS / 2);
    expect(await takeLease(app, 'clean-up', 'a', app.clock.now() + MINUTE_MS)).toBe(true);
    app.clock.advance(MINUTE_MS / 2);
    expect(await takeLease(app, 'clean-up', 'b', app.clock.now() + MINUTE_MS)).toBe(false);
  });

  it('passes on once it has ended: a holder that crashed blocks nobody for ever', async () => {
    const app = await createTestApp();
    await takeLease(app, 'clean-up', 'a', app.clock.now() + MINUTE_MS);
    app.clock.advance(MINUTE_MS);
    expect(await takeLease(app, 'clean-up', 'b', app.clock.now() + MINUTE_MS)).toBe(true);
  });

  it('is given back by its holder and by nobody else', async () => {
    const app = await createTestApp();
    const ends = app.clock.now() + MINUTE_MS;
    await takeLease(app, 'clean-up', 'a', ends);
    await releaseLease(app, 'clean-up', 'b');
    expect(await takeLease(app, 'clean-up', 'b', ends)).toBe(false);
    await releaseLease(app, 'clean-up', 'a');
    expect(await takeLease(app, 'clean-up', 'b', ends)).toBe(true);
  });
});
