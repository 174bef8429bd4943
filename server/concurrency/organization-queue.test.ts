import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { OrganizationQueue } from './organization-queue.ts';

/** Returns a queue, and work that runs until it is ended by name. */
function prepare(limits: { atOnce: number; atOncePerKey: number; waitingPerKeyMax: number }) {
  const queue = new OrganizationQueue(limits);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (key: string, name: string) =>
    queue.run(key, () => {
      started.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await nextTurn();
  };
  return { queue, started, begin, end };
}

describe('a queue of organizations', () => {
  it('gives a place to everyone before it gives another to the one with the most', async () => {
    const { started, begin, end } = prepare({ atOnce: 1, atOncePerKey: 1, waitingPerKeyMax: 10 });
    const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].map((name) => begin(name.charAt(0), name));
    await nextTurn();
    for (let index = 0; index < all.length; index += 1) await end(started[index] ?? '');
    expect(await Promise.all(all)).toHaveLength(6);
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'c2']);
  });

  it('keeps a place free for others, however much one brings', async () => {
    const { started, begin, end } = prepare({ atOnce: 3, atOncePerKey: 2, waitingPerKeyMax: 10 });
    const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => begin(name.charAt(0), name));
    await nextTurn();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) await end(name);
    await Promise.all(all);
  });

  it('refuses only the key with too much waiting', async () => {
    const { queue, begin, end } = prepare({ atOnce: 1, atOncePerKey: 1, waitingPerKeyMax: 1 });
    const accepted = [begin('a', 'a1'), begin('a', 'a2'), begin('b', 'b1')];
    await expect(begin('a', 'a3')).rejects.toMatchObject({
      code: 'organization_busy',
      params: { seconds: expect.any(Number) },
    });
    expect(() => queue.requireRoom('a')).toThrow();
    expect(() => queue.requireRoom('c')).not.toThrow();
    await nextTurn();
    for (const name of ['a1', 'a2', 'b1']) await end(name);
    await Promise.all(accepted);
  });

  it('gives the place of failed work to the next', async () => {
    const { queue } = prepare({ atOnce: 1, atOncePerKey: 1, waitingPerKeyMax: 1 });
    const failing = queue.run('a', () => Promise.reject(new Error('broken')));
    const next = queue.run('a', async () => 'done');
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });
});
