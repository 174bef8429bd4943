import { describe, expect, it } from 'vitest';
import type { RequestContext } from '#server/context.ts';
import { HOUR_MS, MINUTE_MS } from '#server/durations.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { countStuckWork } from './count-stuck-work.ts';
import { listStuckWork } from './list-stuck-work.ts';
import { retryStuckWork } from './retry-stuck-work.ts';
import { FAILURES_IN_A_ROW_MAX, workThrough } from './work-through.ts';

const JOB = 'clean-up';

const operatorOf = (app: TestApp, access: 'read' | 'manage' = 'manage'): RequestContext => ({
  app,
  actor: { kind: 'operator', tokenId: null, name: 'test', access },
  requestId: 'test',
  address: '',
});

/** A job over these names, some of which cannot be done. */
async function prepare(names: readonly string[], poison: readonly string[]) {
  const app = await createTestApp();
  const left = new Set(names);
  const broken = new Set(poison);
  const tried: string[] = [];
  const run = (stopping?: AbortSignal) =>
    workThrough(app, {
      job: JOB,
      list: async (after, limit) =>
        [...left]
          .filter((name) => name > after)
          .sort()
          .slice(0, limit),
      nameOf: (name) => name,
      work: async (name) => {
        tried.push(name);
        if (broken.has(name)) throw new Error(`${name} cannot be removed`);
        return left.delete(name);
      },
      stopping,
    });
  return { app, left, broken, tried, run };
}

describe('work that cannot be done', () => {
  it('does not block what follows', async () => {
    const { left, run } = await prepare(['a', 'b', 'c'], ['a']);
    expect(await run()).toBe(2);
    expect([...left]).toEqual(['a']);
  });

  it('waits longer after each failure, and is forgotten once it succeeds', async () => {
    const { app, broken, tried, run } = await prepare(['a'], ['a']);
    for (const pause of [MINUTE_MS, 2 * MINUTE_MS, 4 * MINUTE_MS]) {
      tried.length = 0;
      await run();
      app.clock.advance(pause - 1);
      await run();
      expect(tried).toEqual(['a']);
      app.clock.advance(1);
    }
    broken.clear();
    expect(await run()).toBe(1);
    expect(await countStuckWork(app.db)).toEqual([]);
  });

  it('is shown to the operator, who can have it retried right away', async () => {
    const { app, broken, run } = await prepare(['a', 'b'], ['a']);
    await run();
    app.clock.advance(MINUTE_MS);
    await run();
    expect(await countStuckWork(app.db)).toMatchObject([{ job: JOB, count: 1 }]);
    const now = app.clock.now();
    expect(await listStuckWork(operatorOf(app, 'read'))).toEqual([
      {
        job: JOB,
        item: 'a',
        attempts: 2,
        error: 'Error: a cannot be removed',
        first_failed_at: new Date(now - MINUTE_MS).toISOString(),
        next_attempt_at: new Date(now + 2 * MINUTE_MS).toISOString(),
      },
    ]);
    await expect(retryStuckWork(operatorOf(app, 'read'), { job: JOB })).rejects.toMatchObject({
      code: 'operator_required',
    });
    await expect(retryStuckWork(operatorOf(app), { job: 'nothing' })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await retryStuckWork(operatorOf(app), { job: JOB })).toEqual({ job: JOB, retried: 1 });
    broken.clear();
    expect(await run()).toBe(1);
  });

  it('is forgotten when it has not failed again for days: it is gone, or was fixed elsewhere', async () => {
    const { app, left, run } = await prepare(['a'], ['a']);
    await run();
    left.clear();
    app.clock.advance(72 * HOUR_MS);
    await run();
    expect(await listStuckWork(operatorOf(app))).toEqual([]);
  });

  it('ends the run when nothing works any more: that is an outage', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `n${String(index).padStart(3, '0')}`);
    const { app, tried, run } = await prepare(names, names);
    await expect(run()).rejects.toThrow('cannot be removed');
    expect(tried).toHaveLength(FAILURES_IN_A_ROW_MAX);
    // The next run continues after them, so that failing items at the start never starve the rest.
    await expect(run()).rejects.toThrow('cannot be removed');
    expect(tried).toHaveLength(2 * FAILURES_IN_A_ROW_MAX);
    expect(new Set(tried).size).toBe(2 * FAILURES_IN_A_ROW_MAX);
    expect(await countStuckWork(app.db)).toMatchObject([{ job: JOB, count: 2 * FAILURES_IN_A_ROW_MAX }]);
  });
});

describe('a backlog of any size', () => {
  it('is processed slice by slice, each item once, and left where it is when the process stops', async () => {
    const names = Array.from({ length: 450 }, (_, index) => `n${String(index).padStart(3, '0')}`);
    const { tried, run } = await prepare(names, ['n000', 'n199', 'n200', 'n449']);
    expect(await run()).toBe(446);
    expect(tried).toEqual(names);
    const stopped = await prepare(names, []);
    expect(await stopped.run(AbortSignal.abort())).toBe(0);
  });
});
