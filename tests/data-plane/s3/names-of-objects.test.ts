import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { createEdge } from '#server/edge/create-edge.ts';
import { createEdgePorts } from '#server/services/serving/edge-ports.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { tarOfFiles } from '#tests/support/archives.ts';
import { askEdge } from '#tests/support/client/ask-edge.ts';
import {
  requireStatus,
  type SiteFiles,
  sealOpen,
  sendMissing,
  toManifest,
} from '#tests/support/client/deploy-client.ts';
import { credentialClient, objectOf, type RestClient } from '#tests/support/client/rest-client.ts';
import { packZip } from '#tests/support/pack-zip.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/**
 * Names that every plain object has, in each position of a path. A whole path `__proto__` is rejected by
 * name.
 */
const NAMES = [
  'x/__proto__',
  'a.__proto__',
  'constructor',
  'a.constructor',
  'constructor.js',
  'toString/valueOf',
  'hasOwnProperty/index.html',
  'a:b.txt',
];

const RULES = {
  _redirects: '/from/:constructor/* /to/:constructor/:splat 301\n',
  _headers: '/constructor\n  constructor: first\n  __proto__: second\n  toString: third\n',
};

const FILES: SiteFiles = Object.fromEntries([
  ...NAMES.map((name) => [name, `content of ${name}`]),
  ...Object.entries(RULES),
]);

type Deploy = (client: RestClient, versions: string) => Promise<unknown>;

async function deployParts(client: RestClient, versions: string, first: object): Promise<unknown> {
  const opened = objectOf(requireStatus(await client('POST', versions, { json: first }), 201));
  const version = { id: String(opened.id), path: `${versions}/${opened.id}` };
  const entries = Object.entries(toManifest(FILES));
  for (const part of [entries.slice(0, 5), entries.slice(5)]) {
    const files = Object.fromEntries(part);
    requireStatus(await client('PUT', `${version.path}/files`, { json: { files } }), 200);
  }
  const missing = JSON.parse((await client('GET', `${version.path}/missing`)).text).missing as string[];
  await sendMissing(client, version.path, FILES, missing);
  return (await sealOpen(client, version)).report;
}

function deployArchive(type: string, pack: () => Uint8Array<ArrayBuffer>): Deploy {
  return async (client, versions) => {
    const response = await client('POST', versions, { body: pack(), headers: { 'content-type': type } });
    return objectOf(requireStatus(response, 201));
  };
}

const deploys: Record<string, Deploy> = {
  'a whole manifest': (client, versions) => deployParts(client, versions, { files: toManifest(FILES) }),
  'a manifest in parts': (client, versions) => deployParts(client, versions, {}),
  'a zip': deployArchive('application/zip', () => packZip(FILES)),
  'a tar': deployArchive('application/x-tar', () => Buffer.from(tarOfFiles(FILES))),
  'a tar.gz': deployArchive('application/gzip', () => gzipSync(tarOfFiles(FILES))),
};

describe('files named like properties of every object', () => {
  test.each(Object.entries(deploys))(
    'are deployed as %s and served with their own bytes',
    async (_, deploy) => {
      const { app, baseUrl } = await startConsoleServer();
      const person = await createTestPerson(app);
      const site = await createSite(person.context, { name: 'blog' });
      const { client } = await credentialClient(baseUrl, person.context, [site.id]);
      const edge = createEdge({ ports: createEdgePorts(app), logger: app.logger });
      await new Promise<void>((resolve) => edge.server.listen(0, '127.0.0.1', resolve));
      cleanups.push(() => edge.close());
      const { port } = edge.server.address() as AddressInfo;
      const get = (path: string) => askEdge(port, 'blog.sites.localhost', path);

      const report = await deploy(client, `/api/v1/sites/${site.id}/versions`);
      expect(report).toMatchObject({ file_count: NAMES.length + 2, is_published: true, problems: [] });
      for (const name of NAMES) {
        const response = await get(`/${name.replace(/\/?index\.html$/, '/')}`);
        expect([name, response.status, response.text]).toEqual([name, 200, `content of ${name}`]);
      }
      expect((await get('/a.constructor')).headers['content-type']).toBe('application/octet-stream');
      expect((await get('/valueOf')).status).toBe(404);
      expect((await get('/from/a/b/c')).headers.location).toBe('/to/a/b/c');
      const { headers } = await get('/constructor');
      expect(Object.hasOwn(headers, 'constructor') && headers.constructor).toBe('first');
      expect(headers.tostring).toBe('third');
    },
  );
});
