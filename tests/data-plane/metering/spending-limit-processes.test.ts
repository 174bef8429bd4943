import { afterAll, beforeAll, expect, it } from 'vitest';
import { setUpBillingByRest } from '#tests/support/billing/rest-billing.ts';
import { type DeploySite, registerDeployer, requireStatus } from '#tests/support/client/deploy-client.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';

const FILE_BYTES = 8 * 2 ** 20;
/** This many simultaneous visitors reach every edge. */
const VISITORS = 24;

let server: TestServer;
let site: DeploySite;
beforeAll(async () => {
  // No jobs run: they are on a machine that is down.
  server = await startTestServer({
    PROCESSES: 'auto',
    EDGE_PROCESSES: '2',
    ROLES: 'console,edge',
    BILLING_MODE: 'sandbox',
  });
  const deployer = await registerDeployer(server);
  await setUpBillingByRest(deployer.person);
  site = await deployer.createSite('limited');
  await site.deploy({ 'index.html': 'here', 'large.bin': Buffer.alloc(FILE_BYTES, 'x') });
  // The site itself is $3.00; the limit is one cent of traffic away.
  const limit = { scope: 'site', resource_id: site.id, amount_cents: 301, action: 'stop' };
  requireStatus(await deployer.person('PUT', '/api/v1/billing/limits', { json: limit }), 200);
});
afterAll(() => server?.close());

const askAtOnce = (path: string) => {
  const ask = () => server.edge(site.host, path, { headers: { connection: 'close' } });
  return Promise.all(Array.from({ length: VISITORS }, ask));
};

it('a limit holds at every edge of a machine on which no jobs run, for visitors who never pause', async () => {
  for (const { status } of await askAtOnce('/')) expect(status).toBe(200);
  await askAtOnce('/large.bin');
  const stopped = await pollUntil(
    () => askAtOnce('/'),
    (responses) => responses.every(({ status }) => status === 503),
    600,
  );
  expect(stopped[0]?.headers['retry-after']).toBe('3600');
  // All of them may have reached one edge; the other one checks within seconds.
  await pollUntil(
    () => askAtOnce('/large.bin'),
    (responses) => responses.every(({ status }) => status === 503),
    600,
  );
});
