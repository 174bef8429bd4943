import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { type AcmeProxy, startAcmeProxy } from '#tests/support/certificates/acme-proxy.ts';
import { type Pebble, startPebble } from '#tests/support/certificates/pebble.ts';
import { type Deployer, registerDeployer, requireStatus } from '#tests/support/client/deploy-client.ts';
import { startZoneServer, type ZoneServer } from '#tests/support/dns/zone-server.ts';
import { freePort } from '#tests/support/free-port.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';

const ACME_ZONE = 'acme.portage.test';

let zone: ZoneServer;
let pebble: Pebble;
let proxy: AcmeProxy;
let server: TestServer;
let deployer: Deployer;

beforeAll(async () => {
  zone = await startZoneServer();
  pebble = await startPebble({ resolver: zone.address });
  proxy = await startAcmeProxy(pebble);
  const dnsPort = await freePort();
  zone.forward(ACME_ZONE, `127.0.0.1:${dnsPort}`);
  server = await startTestServer({
    DNS_PORT: String(dnsPort),
    ACME_ZONE,
    ACME_DIRECTORY_URL: proxy.directoryUrl,
    ACME_CA_FILE: proxy.caFile,
    DNS_RESOLVERS: zone.address,
  });
  deployer = await registerDeployer(server);
});

afterAll(async () => {
  await server.close();
  await proxy.close();
  await pebble.close();
  await zone.close();
});

interface Endpoint {
  id: string;
  bundle: { challenge_name: string; challenge_target: string; issued_at: string | null };
}

/** The leases of a crashed node expire within half a minute; this is that half minute. */
async function letLeasesEnd(): Promise<void> {
  const db = openDatabase(`sqlite:${join(server.dataDir, 'portage.sqlite')}`);
  try {
    await db.updateTable('leases').set({ expires_at: 0 }).execute();
  } finally {
    await db.destroy();
  }
}

describe('a server that is killed while a certificate is issued', () => {
  it.each([
    ['when it says that the value stands', /^POST \/chalZ\//],
    ['when it hands in the request', /^POST \/finalize-order\//],
  ])('%s continues with the same order after its start', async (moment, question) => {
    const hostname = `${moment.split(' ').at(-1)}.customer.test`;
    const killed = new Promise<void>((resolve, reject) => {
      proxy.refuse = (request) => {
        if (!question.test(request)) return null;
        proxy.refuse = null;
        server.kill().then(resolve, reject);
        return { status: 500, type: 'serverInternal', detail: 'nobody is there to hear it' };
      };
    });
    const response = await deployer.person('POST', '/api/v1/cdn/endpoints', {
      json: { hostname, origin_type: 'redirect', redirect_target: 'https://example.ca/' },
    });
    const endpoint: Endpoint = JSON.parse(requireStatus(response, 201).text);
    zone.set(endpoint.bundle.challenge_name, { cname: endpoint.bundle.challenge_target });
    await killed;

    await letLeasesEnd();
    await server.start();
    await pollUntil(
      async () => {
        const read = await deployer.person('GET', `/api/v1/cdn/endpoints/${endpoint.id}`);
        return JSON.parse(requireStatus(read, 200).text) as Endpoint;
      },
      ({ bundle }) => bundle.issued_at !== null,
      1200,
    );
    const ordered = proxy.orders.filter(({ identifiers }) => identifiers[0]?.value === hostname);
    expect(ordered).toHaveLength(1);
  });
});
