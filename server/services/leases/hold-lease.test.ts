import { describe, expect, it } from 'vitest';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { holdLease } from './hold-lease.ts';

describe('work under a lease', () => {
  it('is done by one holder at a time, and the next one may begin when it ends', async () => {
    const app = await createTestApp();
    let finish: (word: string) => void = () => undefined;
    const work = new Promise<string>((resolve) => {
      finish = resolve;
    });
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const first = holdLease(app, 'x', () => {
      begin();
      return work;
    });
    await begun;
    expect(await holdLease(app, 'x', async () => 'second')).toBeNull();
    expect(await holdLease(app, 'y', async () => 'other')).toEqual({ result: 'other' });
    finish('first');
    expect(await first).toEqual({ result: 'first' });
    expect(await holdLease(app, 'x', async () => 'third')).toEqual({ result: 'third' });
  });

  it('gives the lease back when it fails', async () => {
    const app = await createTestApp();
    const failing = holdLease(app, 'x', () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
    expect(await app.db.selectFrom('leases').selectAll().execute()).toEqual([]);
  });
});
