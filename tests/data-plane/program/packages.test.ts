import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts';
import {
  type Deployer,
  registerDeployer,
  requireStatus,
  type SiteFiles,
} from '#tests/support/client/deploy-client.ts';
import { objectOf } from '#tests/support/client/rest-client.ts';
import { packTar } from '#tests/support/pack-tar.ts';
import { packZip } from '#tests/support/pack-zip.ts';
import { awaitEncodings } from '#tests/support/server/await-encodings.ts';
import { shareServer } from '#tests/support/server/share-server.ts';
import type { RunningServer } from '#tests/support/server/test-server.ts';
import { readInstalledPackage } from './installed-package.ts';

/** What a browser must be told, by file extension: written here a second time on purpose. */
const CONTENT_TYPES: Record<string, string> = {
  cjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  LICENSE: 'text/plain; charset=utf-8',
  map: 'application/json; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  NOTICE: 'application/octet-stream',
  png: 'image/png',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
};

const REQUESTS_AT_ONCE = 16;
const CODINGS = ['identity', 'br', 'gzip'] as const;

let server: RunningServer;
let deployer: Deployer;
let three: SiteFiles;
let swagger: SiteFiles;

beforeAll(async () => {
  [three, swagger] = await Promise.all([
    readInstalledPackage('three'),
    readInstalledPackage('swagger-ui-dist'),
  ]);
  server = shareServer();
  deployer = await registerDeployer(server);
});

/** The address of a file: pages without `.html`, an index at its folder. */
function addressOf(path: string): string {
  const address = `/${path.split('/').map(encodeURIComponent).join('/')}`;
  return address.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, '');
}

function decode(body: Buffer, coding: string | undefined): Buffer {
  if (coding === 'br') return brotliDecompressSync(body);
  return coding === 'gzip' ? gunzipSync(body) : body;
}

/** Fetches every file of a site and returns those that differ from what was deployed. */
async function findDifferences(host: string, files: SiteFiles): Promise<string[]> {
  const found = await mapConcurrently(Object.entries(files), REQUESTS_AT_ONCE, async ([path, content]) => {
    const coding = CODINGS[path.length % CODINGS.length] ?? 'identity';
    const response = await server.edge(host, addressOf(path), { headers: { 'accept-encoding': coding } });
    const type = CONTENT_TYPES[/[^./]+$/.exec(path)?.[0] ?? ''];
    const told = response.headers['content-type'];
    const etag = response.headers.etag ?? '';
    if (response.status !== 200) return `${path}: ${response.status}`;
    if (!decode(response.body, response.headers['content-encoding']).equals(Buffer.from(content)))
      return `${path}: other bytes as ${coding}`;
    if (told !== type) return `${path}: ${told}`;
    return /^"[^"]+"$/.test(etag) ? null : `${path}: the tag ${etag} is not strong`;
  });
  return found.filter((difference) => difference !== null);
}

describe('a real package as a site', () => {
  it('is returned file by file: three, with its thousand files', async () => {
    const site = await deployer.createSite('three');
    const first = await site.deploy(three);
    const count = Object.keys(three).length;
    expect(count).toBeGreaterThan(1000);
    expect(first.report).toMatchObject({ added: count, file_count: count, is_published: true });
    expect(await findDifferences(site.host, three)).toEqual([]);
    await awaitEncodings(server, site.host, '/build/three.core.js');
    expect(await findDifferences(site.host, three)).toEqual([]);
  });

  it('responds with 304 for every tag it sent, and other tags for other encodings', async () => {
    const site = await deployer.createSite('swagger tags');
    await site.deploy(swagger);
    await awaitEncodings(server, site.host, '/swagger-ui.css');
    for (const path of Object.keys(swagger)) {
      const tags = new Set<string>();
      const codings = new Set<string>();
      for (const coding of CODINGS) {
        const headers = { 'accept-encoding': coding };
        const response = await server.edge(site.host, addressOf(path), { headers });
        const etag = String(response.headers.etag);
        tags.add(etag);
        codings.add(String(response.headers['content-encoding']));
        const again = await server.edge(site.host, addressOf(path), {
          headers: { ...headers, 'if-none-match': etag },
        });
        expect([path, again.status, again.body.length, again.headers.etag]).toEqual([path, 304, 0, etag]);
      }
      expect([path, tags.size]).toEqual([path, codings.size]);
    }
  });

  it('redirects a page’s file name to its clean address', async () => {
    const site = await deployer.createSite('swagger clean');
    await site.deploy(swagger);
    for (const path of Object.keys(swagger).filter((name) => name.endsWith('.html'))) {
      const response = await server.edge(site.host, `/${path}?a=1`);
      expect([response.status, response.headers.location]).toEqual([308, `${addressOf(path)}?a=1`]);
    }
  });
});

describe('deploying a real package again', () => {
  it('sends nothing when nothing changed and one file when one did; rolls back; previews stay', async () => {
    const site = await deployer.createSite('swagger again');
    const count = Object.keys(swagger).length;
    const first = await site.deploy(swagger);

    const same = await site.deploy(swagger);
    expect(same.sent).toEqual([]);
    expect(same.report).toMatchObject({ unchanged: count, added: 0, changed: 0, removed: 0, new_bytes: 0 });
    expect(same.report).toMatchObject({ compared_with: first.id, changes: [] });

    const changed = { ...swagger, 'index.html': '<!doctype html><title>changed</title>' };
    const second = await site.deploy(changed);
    expect(second.sent).toHaveLength(1);
    expect(second.report).toMatchObject({ unchanged: count - 1, changed: 1, added: 0, removed: 0 });
    expect(await findDifferences(site.host, changed)).toEqual([]);

    expect((await site.rollback(first.id)).status).toBe(200);
    expect(await findDifferences(site.host, swagger)).toEqual([]);
    expect(await findDifferences(first.previewHost, swagger)).toEqual([]);
    expect(await findDifferences(second.previewHost, changed)).toEqual([]);
    for (const host of [first.previewHost, second.previewHost]) {
      expect((await server.edge(host, '/')).headers['x-robots-tag']).toMatch(/noindex/);
    }
    expect((await server.edge(site.host, '/')).headers['x-robots-tag']).toBeUndefined();
  });
});

describe('a real package as one archive', () => {
  it.each([
    {
      kind: 'tar.gz',
      type: 'application/gzip',
      pack: async (files: SiteFiles) => gzipSync(await packTar(files)),
    },
    { kind: 'zip', type: 'application/zip', pack: async (files: SiteFiles) => packZip(files) },
  ])('is unpacked, published and served from a $kind', async ({ kind, type, pack }) => {
    const site = await deployer.createSite(`swagger ${kind}`);
    const body = new Uint8Array(await pack(swagger));
    const response = await site.client('POST', `${site.path}/versions`, {
      body,
      headers: { 'content-type': type },
    });
    const report = objectOf(requireStatus(response, 201));
    expect(report).toMatchObject({ added: Object.keys(swagger).length, is_published: true });
    expect(await findDifferences(site.host, swagger)).toEqual([]);
    // The same content in the other way: all of it is known.
    expect((await site.deploy(swagger)).sent).toEqual([]);
  });

  it('is returned as the archive that deploys the same site', async () => {
    const site = await deployer.createSite('swagger back');
    const { id } = await site.deploy(swagger);
    const address = new URL(`${site.path}/versions/${id}/archive.tar.gz`, server.consoleUrl);
    const taken = await fetch(address, { headers: { authorization: site.authorization } });
    const body = new Uint8Array(await taken.arrayBuffer());
    const headers = { 'content-type': 'application/gzip' };
    const response = await site.client('POST', `${site.path}/versions`, { body, headers });
    expect(objectOf(requireStatus(response, 201))).toMatchObject({
      unchanged: Object.keys(swagger).length,
      added: 0,
      removed: 0,
    });
  });
});
