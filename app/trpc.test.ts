import { QueryClient } from '@tanstack/react-query';
import { createTRPCClient, type TRPCLink } from '@trpc/client';
import { createTRPCQueryUtils } from '@trpc/react-query';
import { observable } from '@trpc/server/observable';
import { expect, it } from 'vitest';
import type { AppRouter } from '#server/routers/app-router.ts';
import { type Calls, createTrpcUtils } from './trpc.ts';

const ofSite = { organization_id: 'org', site_id: 'site' };

/** Two sets of utilities over a client that answers each question with itself. */
function worlds() {
  const echo: TRPCLink<AppRouter> =
    () =>
    ({ op: { path, input } }) =>
      observable((observer) => {
        observer.next({ result: { type: 'data', data: { path, input } } });
        observer.complete();
      });
  const client = createTRPCClient<AppRouter>({ links: [echo] });
  const ask: Calls['query'] = async (path, input) => ({ path, input });
  const calls: Calls = { query: ask, mutation: ask };
  const [ours, theirs] = [new QueryClient(), new QueryClient()];
  return {
    ours: { queries: ours, utils: createTrpcUtils(calls, ours) },
    theirs: { queries: theirs, utils: createTRPCQueryUtils<AppRouter>({ client, queryClient: theirs }) },
  };
}

it('what utilities ask and keep is what those of @trpc/react-query do', async () => {
  const { ours, theirs } = worlds();
  for (const { utils } of [ours, theirs]) {
    await utils.user.me.prefetch();
    await utils.sites.get.fetch(ofSite);
    await utils.sites.list.prefetchInfinite({ organization_id: 'org', limit: 20 });
  }
  const kept = ({ queries }: { queries: QueryClient }) =>
    queries
      .getQueryCache()
      .getAll()
      .map(({ queryHash, state }) => ({ queryHash, data: state.data }));
  expect(kept(ours)).toHaveLength(3);
  // Pages are asked for in one direction only: the library names it too.
  expect(JSON.stringify(kept(ours))).toBe(JSON.stringify(kept(theirs)).replace(',"direction":"forward"', ''));
});

it('a procedure, and a router, are outdated with all that was asked of them', async () => {
  const { queries, utils } = worlds().ours;
  await utils.sites.get.fetch(ofSite);
  await utils.sites.list.prefetchInfinite({ organization_id: 'org' });
  await utils.user.me.fetch();
  const outdated = () =>
    queries
      .getQueryCache()
      .getAll()
      .filter(({ state }) => state.isInvalidated)
      .map(({ queryKey: [path] }) => (path as string[]).join('.'));
  await utils.sites.get.invalidate({ ...ofSite, site_id: 'another' });
  expect(outdated()).toEqual([]);
  await utils.sites.get.invalidate();
  expect(outdated()).toEqual(['sites.get']);
  await utils.sites.invalidate();
  expect(outdated()).toEqual(['sites.get', 'sites.list']);
});
