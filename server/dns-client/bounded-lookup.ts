import type { DnsLookup, LookupResult } from './dns-lookup.ts';

/**
 * Runs `work` with lookups that share a time budget of `budgetMs`: what has not answered by then counts as a
 * timeout. Each question is asked once, however often the work repeats it, and no lookup throws. `end`
 * resolves when the time is up, for anything else the work waits for.
 */
export async function withBoundedLookup<T>(
  lookup: DnsLookup,
  budgetMs: number,
  work: (bounded: DnsLookup, end: Promise<unknown>) => Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<{ kind: 'timeout' }>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'timeout' }), budgetMs);
  });
  const once = <R>(ask: (name: string) => Promise<LookupResult<R>>) => {
    const asked = new Map<string, Promise<LookupResult<R>>>();
    return (name: string) => {
      const known = asked.get(name);
      if (known) return known;
      const answer = ask(name).catch((): LookupResult<R> => ({ kind: 'failed' }));
      const bounded = Promise.race([answer, end]);
      asked.set(name, bounded);
      return bounded;
    };
  };
  try {
    const bounded: DnsLookup = {
      cname: once((name) => lookup.cname(name)),
      ipv4: once((name) => lookup.ipv4(name)),
      ipv6: once((name) => lookup.ipv6(name)),
      txt: once((name) => lookup.txt(name)),
      caa: once((name) => lookup.caa(name)),
      soa: once((name) => lookup.soa(name)),
    };
    return await work(bounded, end);
  } finally {
    clearTimeout(timer);
  }
}
