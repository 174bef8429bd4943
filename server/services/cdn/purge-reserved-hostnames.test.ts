import { expect, it } from 'vitest';
import { markProven, withTwoSites } from '#tests/support/certificates/endpoints.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import { purgeReservedHostnames } from './purge-reserved-hostnames.ts';
import { HOSTNAME_RESERVED_MS, RECORDS_KEPT_MS } from './rules.ts';

it('hostnames whose reservation has been over for an hour are deleted, once, and no others', async () => {
  const { app, context, claim } = await withTwoSites();
  const remove = async (hostname: string) => {
    const { id } = await claim(hostname);
    await markProven(app, id);
    await deleteEndpoint(context, { endpoint_id: id });
  };
  await remove('a.example.ca');
  app.clock.advance(1);
  await remove('b.example.ca');
  app.clock.advance(HOSTNAME_RESERVED_MS + RECORDS_KEPT_MS - 1);
  const job = { app, actor: { kind: 'job' as const, name: 'purge' }, requestId: 'r', address: '' };
  expect(await purgeReservedHostnames(job)).toEqual({ purged: 1 });
  expect(await purgeReservedHostnames(job)).toEqual({ purged: 0 });
  const rest = await app.db.selectFrom('resting_hostnames').select('hostname').execute();
  expect(rest).toEqual([{ hostname: 'b.example.ca' }]);
});
