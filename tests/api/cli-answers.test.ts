import { createServer, type RequestListener } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { listenOnFreePort } from '#tests/support/server/console-server.ts';

interface ApiClient {
  call(method: string, path: string, options?: { json?: unknown }): Promise<{ json: unknown }>;
}

/** Returns a client of a server that answers so, and what it says before it tries again. */
async function clientOf(answer: RequestListener) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(request, response));
  });
  const url = new URL(await listenOnFreePort(server));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const retries: string[] = [];
  const { ApiClient } = await import(new URL('../../cli/src/api-client.mjs', import.meta.url).href);
  const settings = { url, keys: null, version: '0' };
  const client: ApiClient = new ApiClient(settings, (message: string) => retries.push(message));
  return { client, retries };
}

it.each([
  [413, /answered 413 with a page .* limits the size of requests/],
  [403, /answered 403 with a page .* proxy or a firewall/],
])('a page of a proxy (%i) ends a call with what to look at', async (status, message) => {
  const { client } = await clientOf((_, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>No</h1>');
  });
  await expect(client.call('POST', '/blobs', { json: {} })).rejects.toMatchObject({
    status,
    message: expect.stringMatching(message),
  });
});

it('a version that another run is sealing is awaited', async () => {
  let asked = 0;
  const { client, retries } = await clientOf((_, response) => {
    asked += 1;
    const problem = JSON.stringify({ code: 'version_being_sealed', detail: 'Try again.' });
    if (asked === 1) {
      response.writeHead(409, { 'content-type': 'application/problem+json' }).end(problem);
    } else response.writeHead(200, { 'content-type': 'application/json' }).end('{"sealed":true}');
  });
  expect((await client.call('POST', '/seal')).json).toEqual({ sealed: true });
  expect(retries).toEqual([expect.stringMatching(/^Another run is sealing this version; trying again/)]);
});

it('another conflict is not repeated', async () => {
  let asked = 0;
  const { client } = await clientOf((_, response) => {
    asked += 1;
    response.writeHead(409, { 'content-type': 'application/problem+json' }).end('{"detail":"No."}');
  });
  await expect(client.call('POST', '/seal')).rejects.toMatchObject({ status: 409, message: 'No.' });
  expect(asked).toBe(1);
});
