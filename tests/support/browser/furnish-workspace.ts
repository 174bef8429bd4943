import { requireStatus, type SiteFiles } from '../client/deploy-client.ts';
import { objectOf, restClient } from '../client/rest-client.ts';
import { homeOf, registerAndSignIn, type SignedInBrowser } from '../client/sign-in.ts';
import { packZip } from '../pack-zip.ts';
import { insertEndpoint } from '../server/server-database.ts';
import type { RunningServer } from '../server/test-server.ts';

/** A workspace with sample content, for journeys that visit every screen. */
export interface FurnishedWorkspace {
  person: SignedInBrowser;
  organizationId: string;
  /** Deployed three times and rolled back once: one version current, one reverted, one to roll back to. */
  busyId: string;
  /** Never deployed, and without an endpoint. */
  quietId: string;
  /** Empty. */
  bucketId: string;
}

/**
 * Registers a person whose workspace has sites with and without deploys, an endpoint, and credentials with
 * and without access.
 * @param name of the site, and in all other names: nobody else uses it in the same program
 */
export async function furnishWorkspace(server: RunningServer, name: string): Promise<FurnishedWorkspace> {
  const lowerCase = name.toLowerCase();
  const person = await registerAndSignIn(server.consoleUrl);
  const organizationId = homeOf(person);
  const api = restClient(server.consoleUrl, { cookie: person.cookie, origin: server.consoleUrl });
  const create = async (path: string, json: unknown) =>
    objectOf(requireStatus(await api('POST', path, { json }), 201));
  const createSite = async (site: string) => String((await create('/api/v1/sites', { name: site })).id);
  const busyId = await createSite(name);
  const quietId = await createSite(`Quiet ${lowerCase}`);
  await createSite(`${name}-with-a-name-as-long-as-an-address-can-be`.padEnd(63, '-and-longer'));
  const versions = `/api/v1/sites/${busyId}/versions`;
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
    await api('POST', `/api/v1/sites/${busyId}/rollback`, { json: { version_id: second?.id } }),
    200,
  );
  await insertEndpoint(server, { organizationId, siteId: busyId, hostname: `www.${lowerCase}.example` });
  const scopes = [{ resource_type: 'site', resource_id: busyId, permissions: ['read', 'write'] }];
  await create('/api/v1/credentials', { name: 'Website deploys', description: 'On every push', scopes });
  await create('/api/v1/credentials', { name: 'Nothing yet', scopes: [] });
  const bucket = await create('/api/v1/storage/buckets', { name: `pictures-of-${lowerCase}` });
  return { person, organizationId, busyId, quietId, bucketId: String(bucket.id) };
}
