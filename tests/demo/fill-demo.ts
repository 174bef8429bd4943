import { getServers } from 'node:dns';
import { isIPv4 } from 'node:net';
import { CreateMultipartUploadCommand, PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { addMonths } from '#server/services/billing/months/month-rules.ts';
import {
  billMonth,
  chargeInvoices,
  lastMonth,
  setUpServerBilling,
} from '#tests/support/billing/server-billing.ts';
import { requireStatus } from '#tests/support/client/deploy-client.ts';
import { listOf, objectOf, type RestClient, restClient } from '#tests/support/client/rest-client.ts';
import { registerAndSignIn } from '#tests/support/client/sign-in.ts';
import { startZoneServer, type ZoneServer } from '#tests/support/dns/zone-server.ts';
import { packZip } from '#tests/support/pack-zip.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { insertNamedOrganization } from '#tests/support/server/server-database.ts';
import type { TestServer } from '#tests/support/server/test-server.ts';
import { makeBuckets } from '#tests/support/storage/s3-client.ts';
import { insertDemoEndpoints } from './demo-endpoints.ts';
import { DOCS_VERSIONS, RIVES_VERSIONS } from './demo-site.ts';
import { fillUsage } from './fill-usage.ts';

const PERSON = {
  full_name: 'Ada Lovelace',
  login: 'ada',
  email: 'ada@example.ca',
  password: 'correct horse battery staple',
};
const MONTHS_BILLED = 3;

/** The settings of a demonstration: billing without money, and the taxes of Québec, where its organization is. */
const DEMO_SETTINGS = {
  BILLING_MODE: 'sandbox',
  TAX_REGISTRATIONS: 'GST:123456789RT0001,QST:1234567890TQ0001',
};

/**
 * Starts the public DNS of a demonstration, and returns it with the settings of a program that looks there. It knows the records of
 * the endpoints; for other names it asks the resolver of this machine.
 */
export async function startDemoDns(): Promise<{ dns: ZoneServer; settings: Record<string, string> }> {
  const dns = await startZoneServer();
  const resolver = getServers().find((address) => isIPv4(address));
  if (resolver) dns.forward('', `${resolver}:53`);
  return { dns, settings: { ...DEMO_SETTINGS, DNS_RESOLVERS: dns.address } };
}

/** Who to sign in as, and where to look. */
export interface Demo {
  email: string;
  password: string;
  organizationId: string;
}

/**
 * Fills a new installation with an organization: sites with versions, endpoints in every state of a certificate, 90
 * days of usage, invoices, credentials and buckets with objects.
 */
export async function fillDemo(server: TestServer, dns: ZoneServer): Promise<Demo> {
  const { cookie } = await registerAndSignIn(server.consoleUrl, PERSON);
  const organizationId = await insertNamedOrganization(server, {
    name: 'Cartes des rives',
    handle: 'cartes-des-rives',
    description: 'Maps of rivers and of the ways around them',
    website: 'https://rives.example',
    location: 'Trois-Rivières',
    members: { [PERSON.email]: 'owner' },
    features: ['object_storage'],
  });
  await setUpServerBilling(server, organizationId);
  const api = restClient(server.consoleUrl, {
    ...{ cookie, origin: server.consoleUrl },
    'portage-organization': organizationId,
  });
  const siteId = await createSites(api);
  await createEndpoints(server, api, { organizationId, siteId, dns });
  await createCredentials(api, siteId);
  await createBuckets(server, api);
  await fillUsage(server, organizationId);
  for (let months = MONTHS_BILLED - 1; months >= 0; months -= 1) {
    await billMonth(server, organizationId, addMonths(lastMonth(), -months));
  }
  await chargeInvoices(server);
  // The program's own jobs may have begun with any of them.
  await pollUntil(
    async () => listOf(await api('GET', '/api/v1/billing/invoices')),
    (invoices) => invoices.every(({ status }) => status === 'paid'),
  );
  return { email: PERSON.email, password: PERSON.password, organizationId };
}

async function created(api: RestClient, path: string, json: object): Promise<Record<string, unknown>> {
  return objectOf(requireStatus(await api('POST', path, { json }), 201));
}

/** Returns the site that the endpoints lead to. */
async function createSites(api: RestClient): Promise<string> {
  const siteId = await createSite(api, 'rives', RIVES_VERSIONS);
  const [, earlier] = listOf(requireStatus(await api('GET', `/api/v1/sites/${siteId}/versions`), 200));
  const json = { version_id: earlier?.id };
  requireStatus(await api('POST', `/api/v1/sites/${siteId}/rollback`, { json }), 200);
  await createSite(api, 'rives-docs', DOCS_VERSIONS);
  await createSite(api, 'rives-next', []);
  return siteId;
}

/** Creates a site and deploys its versions. Returns its id. */
async function createSite(api: RestClient, name: string, versions: typeof RIVES_VERSIONS): Promise<string> {
  const siteId = String((await created(api, '/api/v1/sites', { name })).id);
  for (const { message, files } of versions) {
    const path = `/api/v1/sites/${siteId}/versions?${new URLSearchParams({ message })}`;
    const headers = { 'content-type': 'application/zip' };
    requireStatus(await api('POST', path, { body: packZip(files), headers }), 201);
  }
  return siteId;
}

async function createEndpoints(
  server: TestServer,
  api: RestClient,
  where: { organizationId: string; siteId: string; dns: ZoneServer },
): Promise<void> {
  // Issued by the local authority, and served: names below `localhost` need no record.
  await created(api, '/api/v1/cdn/endpoints', {
    ...{ hostname: 'rives.localhost', origin_type: 'site', site_id: where.siteId },
  });
  await insertDemoEndpoints(server, api, where);
}

async function createCredentials(api: RestClient, siteId: string): Promise<void> {
  const scope = (permissions: string[]) => [{ resource_type: 'site', resource_id: siteId, permissions }];
  const credentials = [
    { name: 'Deploys', description: 'On every push to main', scopes: scope(['read', 'write']) },
    { name: 'Statistics', description: 'Read by the dashboard of the office', scopes: scope(['read']) },
    { name: 'Not used yet', scopes: [] },
  ];
  for (const credential of credentials) await created(api, '/api/v1/credentials', credential);
}

async function createBuckets(server: TestServer, api: RestClient): Promise<void> {
  const owner = makeBuckets(server, api);
  const tiles = await owner.createBucket('rives-tiles', { cors_origins: ['https://www.rives.example'] });
  const backups = await owner.createBucket('rives-backups');
  const client = owner.client(await owner.createKeys([tiles.id, backups.id]));
  const put = (Bucket: string, Key: string, ContentType: string, Body: string) =>
    client.send(new PutObjectCommand({ Bucket, Key, ContentType, Body }));
  for (const [river, colour] of [
    ['saint-maurice', '#1c7ed6'],
    ['batiscan', '#0ca678'],
    ['mastigouche', '#f08c00'],
  ]) {
    for (const zoom of [8, 9, 10]) {
      const tile = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 256 256"><rect width="256" height="256" fill="#f1f3f5"/><path d="M0 ${zoom * 20} q128 -90 256 0" fill="none" stroke="${colour}" stroke-width="${zoom}"/></svg>`;
      await put('rives-tiles', `${river}/${zoom}.svg`, 'image/svg+xml', tile);
    }
  }
  await put('rives-tiles', 'stations.csv', 'text/csv', 'station,level\nLa Tuque,4.2\nShawinigan,3.7\n');
  await put('rives-backups', '2026/readme.txt', 'text/plain', 'Nightly copies of the map database.\n');
  // A copy that was interrupted: its part is stored, and counts.
  const dump = { Bucket: 'rives-backups', Key: '2026/map.dump' };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(dump));
  const Body = Buffer.alloc(5 * 1024 ** 2);
  await client.send(new UploadPartCommand({ ...dump, UploadId, PartNumber: 1, Body }));
  client.destroy();
}
