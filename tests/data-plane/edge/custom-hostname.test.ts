import { Resolver } from 'node:dns/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase } from '#db/client.ts';
import { type AcmeProxy, startAcmeProxy } from '#tests/support/certificates/acme-proxy.ts';
import { type Pebble, startPebble } from '#tests/support/certificates/pebble.ts';
import {
  type Deployer,
  type DeploySite,
  registerDeployer,
  requireStatus,
} from '#tests/support/client/deploy-client.ts';
import { createSecureVisitor, leafOf, type SecureVisitor } from '#tests/support/client/secure-visitor.ts';
import { startZoneServer, type ZoneServer } from '#tests/support/dns/zone-server.ts';
import { freePort } from '#tests/support/free-port.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';

const ACME_ZONE = 'acme.portage.test';
const CNAME_DOMAIN = 'edge.portage.test';
const SITES_DOMAIN = 'sites.portage.test';
/** The authority's name in CAA records in these tests. */
const AUTHORITY_NAME = 'ca.portage.test';

let zone: ZoneServer;
let pebble: Pebble;
let proxy: AcmeProxy;
let server: TestServer;
let deployer: Deployer;
let site: DeploySite;
let visitor: SecureVisitor;

beforeAll(async () => {
  zone = await startZoneServer();
  pebble = await startPebble({ resolver: zone.address });
  proxy = await startAcmeProxy(pebble);
  proxy.caaIdentities = [AUTHORITY_NAME];
  const httpsPort = await freePort();
  const dnsPort = await freePort();
  for (const name of [ACME_ZONE, CNAME_DOMAIN]) zone.forward(name, `127.0.0.1:${dnsPort}`);
  server = await startTestServer({
    EDGE_HTTPS_PORT: String(httpsPort),
    DNS_PORT: String(dnsPort),
    SITES_DOMAIN,
    CNAME_DOMAIN,
    ACME_ZONE,
    ACME_DIRECTORY_URL: proxy.directoryUrl,
    ACME_CA_FILE: proxy.caFile,
    EDGE_ADDRESSES: '127.0.0.1',
    DNS_RESOLVERS: zone.address,
  });
  visitor = await createSecureVisitor(httpsPort, await pebble.rootCertificate());
  deployer = await registerDeployer(server);
  site = await deployer.createSite('Customer');
  await site.deploy({ 'index.html': '<h1>Over https</h1>' });
});

afterAll(async () => {
  await visitor.close();
  await server.close();
  await proxy.close();
  await pebble.close();
  await zone.close();
});

interface Endpoint {
  id: string;
  hostname: string;
  cname_target: string;
  proven_at: string | null;
  bundle: {
    id: string;
    challenge_name: string;
    challenge_target: string;
    dns_validated: boolean;
    dns_challenge_validated: boolean;
    issued_at: string | null;
    problem: { code: string } | null;
  };
}

/** Parses a response whose shape is covered by other tests. */
const read = <T>(text: string): T => JSON.parse(text) as T;

async function createEndpoint(hostname: string): Promise<Endpoint> {
  const body = { hostname, origin_type: 'site', site_id: site.id };
  const response = await deployer.person('POST', '/api/v1/cdn/endpoints', { json: body });
  return read<Endpoint>(requireStatus(response, 201).text);
}

async function readEndpoint({ id }: Endpoint): Promise<Endpoint> {
  const response = await deployer.person('GET', `/api/v1/cdn/endpoints/${id}`);
  return read<Endpoint>(requireStatus(response, 200).text);
}

const delegate = ({ bundle }: Endpoint) =>
  zone.set(bundle.challenge_name, { cname: bundle.challenge_target });

const untilIssued = (endpoint: Endpoint) =>
  pollUntil(
    () => readEndpoint(endpoint),
    ({ bundle }) => bundle.issued_at !== null,
    1200,
  );

/** Works on the bundles of the running server, for what no surface does. */
async function onBundles<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDatabase(`sqlite:${join(server.dataDir, 'portage.sqlite')}`);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

const orderedNames = () => proxy.orders.flatMap(({ identifiers }) => identifiers.map(({ value }) => value));

const serialNumber = (output: string) => leafOf(output).serialNumber;
const publicKey = (output: string) => leafOf(output).publicKey.export({ type: 'spki', format: 'pem' });

describe('the names of the platform', () => {
  it('have one certificate for all sites once the operator has set the record', async () => {
    const bundle = await pollUntil(
      () =>
        onBundles((db) =>
          db
            .selectFrom('certificate_bundles')
            .select('dns_challenge_id')
            .where('domain_name', '=', `*.${SITES_DOMAIN}`)
            .executeTakeFirst(),
        ),
      (found) => found !== undefined,
    );
    zone.set(`_acme-challenge.${SITES_DOMAIN}`, { cname: `${bundle?.dns_challenge_id}.${ACME_ZONE}` });
    const output = await pollUntil(
      () => visitor.verify(site.host).catch(() => null),
      (shown) => shown !== null,
      1200,
    );
    expect(leafOf(output ?? '').subjectAltName).toBe(`DNS:*.${SITES_DOMAIN}`);
    expect(await visitor.fetch(site.host)).toBe('<h1>Over https</h1>');
  });
});

describe('a custom hostname', () => {
  it('serves nothing before its records prove ownership, and gets its certificate automatically once they are set', async () => {
    const hostname = 'www.customer.test';
    const endpoint = await createEndpoint(hostname);
    expect(endpoint).toMatchObject({ proven_at: null, bundle: { issued_at: null } });
    expect(endpoint.cname_target.endsWith(`.${CNAME_DOMAIN}`)).toBe(true);
    expect((await server.edge(hostname, '/')).status).toBe(404);
    await expect(visitor.verify(hostname)).rejects.toThrow();

    delegate(endpoint);
    const issued = await untilIssued(endpoint);
    expect(issued.bundle).toMatchObject({
      dns_challenge_validated: true,
      dns_validated: false,
      problem: null,
    });
    expect(issued.proven_at).not.toBeNull();

    expect(await visitor.verify(hostname)).toContain('Verify return code: 0 (ok)');
    expect(await visitor.fetch(hostname)).toBe('<h1>Over https</h1>');
    await expect(visitor.fetch('www.somebody-else.test')).rejects.toThrow();
  });

  it('has its certificate before traffic moves, and notices when it has', async () => {
    const hostname = 'moving.customer.test';
    zone.set(hostname, { ipv4: ['192.0.2.80'] });
    const endpoint = await createEndpoint(hostname);
    delegate(endpoint);
    await untilIssued(endpoint);
    await pollUntil(
      () => deployer.person('GET', `/api/v1/bundles/${endpoint.bundle.id}/dns`),
      ({ text }) => read<{ is_safe_to_switch: boolean }>(text).is_safe_to_switch,
    );
    expect((await readEndpoint(endpoint)).bundle).toMatchObject({ dns_validated: false });

    zone.set(hostname, { cname: endpoint.cname_target });
    const validated = await deployer.person('POST', `/api/v1/bundles/${endpoint.bundle.id}/validate`);
    expect(read(requireStatus(validated, 200).text)).toMatchObject({ dns_validated: true });
    expect(await visitor.fetch(hostname)).toBe('<h1>Over https</h1>');
  });

  it('is renewed automatically when due, with a new key, and the edge shows it without a restart', async () => {
    const hostname = 'renewed.customer.test';
    const endpoint = await createEndpoint(hostname);
    delegate(endpoint);
    await untilIssued(endpoint);
    const before = await visitor.verify(hostname);
    proxy.orders.length = 0;
    await onBundles((db) =>
      db
        .updateTable('certificate_bundles')
        .set({ renew_at: Date.now(), next_issue_at: Date.now() })
        .where('id', '=', endpoint.bundle.id)
        .execute(),
    );

    const after = await pollUntil(
      () => visitor.verify(hostname),
      (output) => serialNumber(output) !== serialNumber(before),
      600,
    );
    expect(after).toContain('Verify return code: 0 (ok)');
    expect(publicKey(after)).not.toBe(publicKey(before));
    expect(proxy.orders).toEqual([
      expect.objectContaining({ replaces: expect.stringMatching(/^[\w-]+\.[\w-]+$/) }),
    ]);
  });

  it('waits, with the reason, while the authority is down, and is served when it is back', async () => {
    const hostname = 'patient.customer.test';
    proxy.refuse = () => ({ status: 500, type: 'serverInternal', detail: 'We are sorry' });
    const endpoint = await createEndpoint(hostname);
    delegate(endpoint);
    const waiting = await pollUntil(
      () => readEndpoint(endpoint),
      ({ bundle }) => bundle.problem !== null,
      1200,
    );
    expect(waiting.bundle.problem).toMatchObject({ code: 'authority_unavailable' });
    proxy.refuse = null;
    const response = await deployer.person('POST', `/api/v1/bundles/${endpoint.bundle.id}/issue`);
    expect(read(requireStatus(response, 200).text)).toMatchObject({
      issued_at: expect.any(String),
      problem: null,
    });
    expect(await visitor.fetch(hostname)).toBe('<h1>Over https</h1>');
  });

  it('is not ordered while its challenge record leads elsewhere or a CAA record forbids it', async () => {
    const hostname = 'guarded.customer.test';
    const endpoint = await createEndpoint(hostname);
    const issue = () => deployer.person('POST', `/api/v1/bundles/${endpoint.bundle.id}/issue`);
    zone.set(endpoint.bundle.challenge_name, { cname: `another.${ACME_ZONE}` });
    expect(read(requireStatus(await issue(), 409).text)).toMatchObject({ code: 'challenge_record_missing' });

    zone.set(hostname, { caa: [{ isCritical: false, tag: 'issue', value: 'other.example' }] });
    delegate(endpoint);
    expect(read(requireStatus(await issue(), 409).text)).toMatchObject({ code: 'caa_forbids' });
    expect(orderedNames()).not.toContain(hostname);

    zone.set(hostname, { caa: [{ isCritical: false, tag: 'issue', value: AUTHORITY_NAME }] });
    requireStatus(await issue(), 200);
    expect(await visitor.fetch(hostname)).toBe('<h1>Over https</h1>');
  });

  it('leaves no challenge value behind, and continues after a crash with its certificate and its open order', async () => {
    const hostname = 'lasting.customer.test';
    const endpoint = await createEndpoint(hostname);
    delegate(endpoint);
    await untilIssued(endpoint);
    const resolver = new Resolver();
    resolver.setServers([zone.address]);
    await pollUntil(
      () => resolver.resolveTxt(endpoint.bundle.challenge_name).catch(() => []),
      (values) => values.length === 0,
    );
    expect(await resolver.resolveCname(endpoint.bundle.challenge_name)).toEqual([
      endpoint.bundle.challenge_target,
    ]);

    const halfway = await createEndpoint('halfway.customer.test');
    delegate(halfway);
    const issue = () => deployer.person('POST', `/api/v1/bundles/${halfway.bundle.id}/issue`);
    const sorry = { status: 500, type: 'serverInternal', detail: 'We are sorry' };
    proxy.refuse = (request) => (request.startsWith('POST /finalize-order/') ? sorry : null);
    requireStatus(await issue(), 503);

    const before = serialNumber(await visitor.verify(hostname));
    await server.kill();
    await server.start();
    proxy.refuse = null;
    requireStatus(await issue(), 200);
    expect(orderedNames().filter((name) => name === halfway.hostname)).toHaveLength(1);
    expect(await visitor.fetch(halfway.hostname)).toBe('<h1>Over https</h1>');
    expect(serialNumber(await visitor.verify(hostname))).toBe(before);
    expect(await visitor.fetch(hostname)).toBe('<h1>Over https</h1>');
  });
});
