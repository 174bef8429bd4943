import { expect, test } from 'vitest';
import { LoadQueue, LoadQueueFull } from './load-queue.ts';

test('owners take turns, so that one with many tasks does not keep the others waiting', async () => {
  const queue = new LoadQueue(1, 100);
  const order: string[] = [];
  const run = (owner: string, name: string) =>
    queue.run(owner, async () => {
      order.push(name);
      await Promise.resolve();
    });
  await Promise.all([...[1, 2, 3, 4, 5].map((at) => run('greedy', `greedy ${at}`)), run('modest', 'modest')]);
  expect(order).toEqual(['greedy 1', 'greedy 2', 'modest', 'greedy 3', 'greedy 4', 'greedy 5']);
});

test('no more tasks run at once than allowed, failures release their place, and waiting is limited per owner', async () => {
  const queue = new LoadQueue(2, 3);
  let running = 0;
  let most = 0;
  const task = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    throw new Error('failed');
  };
  const outcomes = await Promise.allSettled([
    ...Array.from({ length: 7 }, () => queue.run('a', task)),
    queue.run('b', task),
  ]);
  const reasons = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : null));
  expect(reasons.filter((reason) => reason instanceof LoadQueueFull)).toHaveLength(2);
  expect(reasons.filter((reason) => reason?.message === 'failed')).toHaveLength(6);
  expect(most).toBe(2);
  expect(await queue.run('a', async () => 'again')).toBe('again');
});
