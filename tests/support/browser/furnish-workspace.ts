import { requireStatus, type SiteFiles } from '../client/deploy-client.ts';
import { objectOf, restClient } from '../client/rest-client.ts';
import { homeOf, registerAndSignIn, type SignedInBrowser } from '../client/sign-in.ts';
import { packZip } from '../pack-zip.ts';
import { insertEndpoint } from '../server/server-database.ts';
import type { TestServer } from '../server/test-server.ts';

/** A workspace with sample content, for journeys that visit every screen. */
export interface FurnishedWorkspace {
  person: SignedInBrowser;
  organizationId: string;
  /** Deployed three times and rolled back once: one version current, one reverted, one to roll back to. */
  harbourId: string;
  /** Never deployed, and without an endpoint. */
  quietId: string;
  /** Empty. */
  bucketId: string;
}

/**
 * Registers a person whose workspace has sites with and without deploys, an endpoint, and credentials with
 * and without access.
 */
export async function furnishWorkspace(server: TestServer): Promise<FurnishedWorkspace> {
  const person = await registerAndSignIn(server.consoleUrl);
  const organizationId = homeOf(person);
  const api = restClient(server.consoleUrl, { cookie: person.cookie, origin: server.consoleUrl });
  const create = async (path: string, json: unknown) =>
    objectOf(requireStatus(await api('POST', path, { json }), 201));
  const createSite = async (name: string) => String((await create('/api/v1/sites', { name })).id);
  const harbourId = await createSite('Harbour');
  const quietId = await createSite('Quiet');
  await createSite('A-name-as-long-as-an-address-can-be-so-that-nobody-can-be-longer');
  const versions = `/api/v1/sites/${harbourId}/versions`;
  const deploy = async (files: SiteFiles) => {
    const headers = { 'content-type': 'application/zip' };
    requireStatus(await api('POST', versions, { body: packZip(files), headers }), 201);
  };
  await deploy({ 'index.html': 'one' });
  await deploy({ 'index.html': 'two', _redirects: '/broken\n' });
  await deploy({ 'index.html': 'three' });
  const listed = JSON.parse(requireStatus(await api('GET', versions), 200).text) as { id: string }[];
  const [, second] = listed;
  requireStatus(
    await api('POST', `/api/v1/sites/${harbourId}/rollback`, { json: { version_id: second?.id } }),
    200,
  );
  await insertEndpoint(server, { organizationId, siteId: harbourId, hostname: 'www.harbour.example' });
  const scopes = [{ resource_type: 'site', resource_id: harbourId, permissions: ['read', 'write'] }];
  await create('/api/v1/credentials', { name: 'Website deploys', description: 'On every push', scopes });
  await create('/api/v1/credentials', { name: 'Nothing yet', scopes: [] });
  const bucket = await create('/api/v1/storage/buckets', { name: 'pictures-of-quays' });
  return { person, organizationId, harbourId, quietId, bucketId: String(bucket.id) };
}
