import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { listenOnFreePort } from '#tests/support/server/console-server.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';
import { loadAssets } from './assets.ts';

async function serveBuilds() {
  const earlier = await makeTemporaryFolder({
    'assets/page-1.js': 'of before',
    'assets/page-1.js.gz': gzipSync('of before'),
    'favicon.svg': 'an earlier icon',
    'gone.txt': 'removed since',
  });
  const current = await makeTemporaryFolder({ 'assets/page-2.js': 'of now', 'favicon.svg': 'the icon' });
  const answer = await loadAssets(current, { build: 'b2', earlier: [earlier] });
  const server = createServer((request, response) => {
    if (!answer(request, response, request.url ?? '')) response.writeHead(418).end();
  });
  const baseUrl = await listenOnFreePort(server);
  const get = async (path: string) => {
    const response = await fetch(baseUrl + path);
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  return { earlier, get };
}

it('an open page goes on loading its parts after an upgrade, until their build is removed', async () => {
  const { earlier, get } = await serveBuilds();
  const part = await get('/assets/page-1.js');
  expect(part).toMatchObject({ status: 200, text: 'of before' });
  expect(part.headers.get('content-encoding')).toBe('gzip');
  expect(part.headers.get('cache-control')).toContain('immutable');
  expect(await get('/assets/page-2.js')).toMatchObject({ status: 200, text: 'of now' });
  await rm(join(earlier, 'assets'), { recursive: true });
  const gone = await get('/assets/page-1.js');
  expect(gone.status).toBe(404);
  expect(gone.headers.get('cache-control')).toBe('no-store');
});

it('what carries no hash is that of the current build alone', async () => {
  const { get } = await serveBuilds();
  expect((await get('/favicon.svg')).text).toBe('the icon');
  expect((await get('/gone.txt')).status).toBe(418);
});

it('a page learns which build is the current one, past every cache, and that a part is not there', async () => {
  const { get } = await serveBuilds();
  const current = await get('/assets/current-build');
  expect([current.text, current.headers.get('cache-control')]).toEqual(['b2', 'no-store']);
  expect((await get('/assets/of-no-build.js')).status).toBe(404);
});
