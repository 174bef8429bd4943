import { describe, expect, it } from 'vitest';
import { FairQueue } from './fair-queue.ts';

/** Returns a queue whose work is ended by hand, and a log of who began, in order. */
function prepare(waitingMax = 100) {
  const queue = new FairQueue({ atOnceMax: 1, waitingMax });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const refused: string[] = [];
  const ask = (asker: string, options: { isKnown?: boolean } = {}) => {
    void queue
      .run(
        asker,
        () => {
          begun.push(asker);
          return new Promise<void>((resolve) => ends.push(resolve));
        },
        options,
      )
      .catch((error) => refused.push(`${asker} ${error.code}`));
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const endAll = async () => {
    for (;;) {
      await settle();
      const end = ends.shift();
      if (!end) return;
      end();
    }
  };
  return { queue, ask, begun, refused, endAll, settle };
}

describe('a fair queue', () => {
  it('gives each client a turn, however much one asks', async () => {
    const { ask, begun, endAll } = prepare();
    for (let n = 0; n < 5; n += 1) ask('flood');
    ask('ada');
    ask('bob');
    ask('ada');
    await endAll();
    expect(begun).toEqual(['flood', 'flood', 'ada', 'bob', 'flood', 'ada', 'flood', 'flood']);
  });

  it('that is full makes room for others at the expense of the client with the most waiting', async () => {
    const { ask, begun, refused, endAll, settle } = prepare(3);
    for (let n = 0; n < 5; n += 1) ask('flood');
    await settle();
    expect(refused).toEqual(['flood too_many_requests']);
    ask('ada');
    ask('bob');
    await settle();
    expect(refused).toHaveLength(3);
    ask('eve');
    await endAll();
    expect(refused.at(-1)).toBe('eve too_many_requests');
    expect(begun).toEqual(['flood', 'flood', 'ada', 'bob']);
  });

  it('lets those who are known wait for one stranger at a time, however many wait', async () => {
    const { ask, begun, refused, endAll } = prepare(3);
    for (const stranger of ['a', 'b', 'c', 'd', 'e']) ask(stranger);
    for (let n = 0; n < 2; n += 1) ask('ada', { isKnown: true });
    await endAll();
    expect(begun).toEqual(['a', 'ada', 'b', 'ada', 'c', 'd']);
    expect(refused).toEqual(['e too_many_requests']);
  });

  it('continues after work that failed', async () => {
    const { queue } = prepare();
    const failing = queue.run('ada', () => Promise.reject(new Error('no')));
    const next = queue.run('ada', () => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
    expect(await queue.run('bob', () => Promise.resolve('yes'))).toBe('yes');
  });
});
