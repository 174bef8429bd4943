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

describe('the cache of names', () => {
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
