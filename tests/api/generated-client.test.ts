import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { generateApi } from 'swagger-typescript-api';
import { afterEach, describe, expect, it } from 'vitest';
import type { DeployReport } from '#server/services/deployments/schema.ts';
import type { Site } from '#server/services/sites/schema.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { credentialClient, objectOf, restClient } from '#tests/support/client/rest-client.ts';
import { packTar } from '#tests/support/pack-tar.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await removeFolder(folder);
});

type Answer<T> = Response & { data: T };
interface Params {
  headers?: Record<string, string>;
}

/** The part of the generated client that the tests use, as in its own declarations. */
interface Api {
  api: {
    listSites(query?: { limit?: number }, params?: Params): Promise<Answer<Site[]>>;
    createSite(data: { name: string }, params?: Params): Promise<Answer<Site>>;
    getSite(siteId: string, params?: Params): Promise<Answer<Site>>;
    deleteSite(siteId: string, params?: Params): Promise<Answer<null>>;
    openVersion(
      siteId: string,
      data: unknown,
      query?: { message?: string; publish?: boolean },
      params?: Params,
    ): Promise<Answer<DeployReport>>;
  };
}
interface ApiConfig {
  baseUrl: string;
  baseApiParams?: Params;
  customFetch?: typeof fetch;
}

/** Generates a client from the running server's own description and loads it. */
async function generateClient(baseUrl: string): Promise<new (config: ApiConfig) => Api> {
  const folder = await mkdtemp(join(tmpdir(), 'portage-client-'));
  folders.push(folder);
  const document = objectOf(await restClient(baseUrl)('GET', '/api/v1/openapi.json'));
  await generateApi({
    spec: document as unknown as NonNullable<Parameters<typeof generateApi>[0]['spec']>,
    output: folder,
    fileName: 'client.ts',
    toJS: true,
    silent: true,
  });
  const module: { Api: new (config: ApiConfig) => Api } = await import(
    pathToFileURL(join(folder, 'client.js')).href
  );
  return module.Api;
}

describe('a client generated from openapi.json', () => {
  it('lists, creates, reads, receives a problem document and deletes', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const person = await createTestPerson(app);
    const Client = await generateClient(baseUrl);
    const headers = { cookie: person.sessionCookie, origin: baseUrl };
    const { api } = new Client({ baseUrl, baseApiParams: { headers } });

    expect((await api.listSites()).data).toEqual([]);
    const created = await api.createSite({ name: 'my-blog' });
    expect([created.status, created.data.subdomain]).toEqual([201, 'my-blog']);
    expect((await api.listSites({ limit: 1 })).data.map(({ id }) => id)).toEqual([created.data.id]);
    expect((await api.getSite(created.data.id)).data).toEqual(created.data);

    const refused = await api.createSite({ name: 'my-blog' }).then(
      () => null,
      (response: { status: number; error: unknown }) => response,
    );
    expect(refused).toMatchObject({
      status: 409,
      error: { code: 'site_name_taken', params: { suggestion: 'my-blog-2' }, errors: [{ path: 'name' }] },
    });

    const gone = await api.deleteSite(created.data.id);
    expect([gone.status, gone.data]).toEqual([204, null]);
    expect((await api.listSites()).data).toEqual([]);
  });

  it('deploys an archive with a credential', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const person = await createTestPerson(app);
    const Client = await generateClient(baseUrl);
    const asPerson = new Client({
      baseUrl,
      baseApiParams: { headers: { cookie: person.sessionCookie, origin: baseUrl } },
    });
    const site = (await asPerson.api.createSite({ name: 'blog' })).data;
    const { authorization } = await credentialClient(baseUrl, person.context, [site.id]);
    const archive = await packTar({ 'index.html': '<h1>generated</h1>' });
    // This generator turns every body into JSON; its own hook is where raw bytes go.
    const sendArchive: typeof fetch = (address, init) =>
      fetch(address, {
        ...init,
        body: archive,
        headers: { authorization, 'content-type': 'application/x-tar' },
      });
    const { api } = new Client({ baseUrl, customFetch: sendArchive });

    const deployed = await api.openVersion(site.id, {}, { message: 'by a generated client', publish: true });
    expect(deployed.status).toBe(201);
    expect(deployed.data).toMatchObject({ is_published: true, added: 1, file_count: 1 });
    expect((await asPerson.api.getSite(site.id)).data.current_version_id).toBe(deployed.data.version_id);
  });
});
