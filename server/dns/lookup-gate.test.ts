import { describe, expect, it } from 'vitest';
import { FairQueue } from '../concurrency/fair-queue.ts';
import { LookupGate, LookupUnavailable } from './lookup-gate.ts';

/** A gate with one lookup under way that ends on demand; `started` tells which began, in their order. */
function occupiedGate(lookupsWaitingMax: number) {
  const gate = new LookupGate(new FairQueue({ atOnceMax: 1, waitingMax: lookupsWaitingMax }), 60_000);
  const started: string[] = [];
  let free = () => {};
  const first = gate.run(
    '192.0.2',
    () =>
      new Promise<void>((resolve) => {
        free = resolve;
      }),
  );
  const ask = (network: string, name: string) =>
    gate
      .run(network, async () => {
        started.push(name);
      })
      .then(
        () => 'answered',
        () => 'refused',
      );
  return {
    ask,
    started,
    finish: () => {
      free();
      return first;
    },
  };
}

describe('lookups that wait', () => {
  it('take turns by network: one with many questions delays another by one of them', async () => {
    const { ask, started, finish } = occupiedGate(100);
    const flood = ['a', 'b', 'c'].map((name) => ask('192.0.2', name));
    const other = ask('198.51.100', 'other');
    await finish();
    await Promise.all([...flood, other]);
    expect(started).toEqual(['a', 'other', 'b', 'c']);
  });

  it('make room for another network when too many wait, from the one with the most', async () => {
    const { ask, started, finish } = occupiedGate(3);
    const flood = ['a', 'b', 'c', 'd'].map((name) => ask('192.0.2', name));
    const other = ask('198.51.100', 'other');
    await finish();
    expect(await Promise.all(flood)).toEqual(['answered', 'answered', 'refused', 'refused']);
    expect(await other).toBe('answered');
    expect(started).toEqual(['a', 'other', 'b']);
  });

  it('fail when they are late, and do not begin when their turn comes after that', async () => {
    const gate = new LookupGate(new FairQueue({ atOnceMax: 1, waitingMax: 100 }), 20);
    let free = () => {};
    const hangs = new Promise<void>((resolve) => {
      free = resolve;
    });
    const begun: string[] = [];
    const late = [gate.run('192.0.2', () => hangs), gate.run('198.51.100', async () => begun.push('late'))];
    for (const result of await Promise.allSettled(late)) {
      expect(result).toMatchObject({ reason: expect.any(LookupUnavailable) });
    }
    free();
    await gate.run('198.51.100', async () => begun.push('in time'));
    expect(begun).toEqual(['in time']);
  });
});
