import { createSite } from '#server/services/sites/create-site.ts';
import { createTestPerson } from '../app/test-person.ts';
import { credentialClient, listOf } from '../client/rest-client.ts';
import { startConsoleServer } from './console-server.ts';

/** Starts a console with a site, and returns the settings of the command line of a credential for it. */
export async function withSite(environment: Record<string, string> = {}) {
  const { app, baseUrl } = await startConsoleServer({ environment });
  const person = await createTestPerson(app);
  const site = await createSite(person.context, { name: 'My Blog' });
  const credential = await credentialClient(baseUrl, person.context, [site.id]);
  const settings = {
    PORTAGE_URL: baseUrl,
    PORTAGE_PUBLIC_KEY: credential.publicKey,
    PORTAGE_SECRET_KEY: credential.secretKey,
  };
  const pathsOf = async (versionId: string) =>
    listOf(await credential.client('GET', `/api/v1/sites/${site.id}/versions/${versionId}/files`)).map(
      (file) => file.path,
    );
  const versions = async () => listOf(await credential.client('GET', `/api/v1/sites/${site.id}/versions`));
  return { app, baseUrl, person, site, environment: settings, pathsOf, versions, client: credential.client };
}
