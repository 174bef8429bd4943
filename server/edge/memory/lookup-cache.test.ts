import { describe, expect, it } from 'vitest';
import { LookupCache } from './lookup-cache.ts';

function prepare(entriesMax = 3) {
  const there = new Set(['a', 'b', 'c']);
  const looks: string[] = [];
  const cache = new LookupCache<boolean>({
    entriesMax,
    now: () => 0,
    exists: (value) => value,
    look: async (name) => {
      looks.push(name);
      return there.has(name);
    },
    onFailure: () => undefined,
  });
  return { cache, looks, there };
}

describe('the cache of names while lookups fail', () => {
  function failing(recalled: Record<string, string>) {
    const state = { isDown: false, now: 0, value: 'looked up' };
    const recalls: string[] = [];
    const cache = new LookupCache<string>({
      entriesMax: 3,
      now: () => state.now,
      exists: () => true,
      look: async () => {
        if (state.isDown) throw new Error('down');
        return state.value;
      },
      recall: async (name) => {
        recalls.push(name);
        return recalled[name] ?? null;
      },
      onFailure: () => undefined,
    });
    return { cache, recalls, state };
  }

  it('recalls a name that it does not know, and looks it up again two seconds later', async () => {
    const { cache, state } = failing({ a: 'recalled' });
    state.isDown = true;
    expect((await cache.find('a')).value).toBe('recalled');
    await expect(cache.find('b')).rejects.toThrow('down');
    state.isDown = false;
    expect((await cache.find('a')).value).toBe('recalled');
    state.now = 2_001;
    await cache.find('a');
    expect((await cache.find('a')).value).toBe('looked up');
  });

  it('prefers what it knows itself, unless that has changed', async () => {
    const { cache, recalls, state } = failing({ a: 'recalled' });
    for (const name of ['a', 'b']) await cache.find(name);
    state.isDown = true;
    state.now = 60_001;
    expect((await cache.find('a')).value).toBe('looked up');
    expect(recalls).toEqual([]);
    for (const name of ['a', 'b']) cache.invalidateName(name);
    expect((await cache.find('a')).value).toBe('recalled');
    expect((await cache.find('b')).value).toBe('looked up');
  });
});

describe('the cache of names', () => {
  it('keeps the newer of two results when a change overtook the older lookup, whichever ends last', async () => {
    for (const isOlderLast of [true, false]) {
      const lookups: PromiseWithResolvers<string>[] = [];
      const cache = new LookupCache<string>({
        entriesMax: 3,
        now: () => 0,
        exists: () => true,
        look: () => {
          const lookup = Promise.withResolvers<string>();
          lookups.push(lookup);
          return lookup.promise;
        },
        onFailure: () => undefined,
      });
      const older = cache.find('a');
      cache.invalidateName('a');
      const newer = cache.find('a');
      const endings = [
        () => {
          lookups[0]?.resolve('before');
          return older;
        },
        () => {
          lookups[1]?.resolve('after');
          return newer;
        },
      ];
      for (const end of isOlderLast ? endings.toReversed() : endings) await end();
      expect((await cache.find('a')).value).toBe('after');
      expect(lookups).toHaveLength(2);
    }
  });

  it('is not evicted by any number of names that do not exist', async () => {
    const { cache, looks } = prepare();
    for (const name of ['a', 'b', 'c']) await cache.find(name);
    for (let index = 0; index < 50; index += 1) await cache.find(`random-${index}`);
    looks.length = 0;
    for (const name of ['a', 'b', 'c', 'random-49']) await cache.find(name);
    expect(looks).toEqual([]);
    await cache.find('random-0');
    expect(looks).toEqual(['random-0']);
  });

  it('follows a name that appears and disappears', async () => {
    const { cache, there } = prepare();
    expect((await cache.find('d')).value).toBe(false);
    there.add('d');
    expect((await cache.find('d')).value).toBe(false);
    cache.invalidateName('d');
    const found = await cache.find('d');
    expect(found.value).toBe(true);
    there.delete('d');
    cache.invalidate((name) => name === 'd');
    expect(found.isStale).toBe(true);
    expect((await cache.find('d')).value).toBe(false);
    expect(cache.peek('d')?.value).toBe(false);
  });
});
