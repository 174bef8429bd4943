import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenOnFreePort } from '#tests/support/server/console-server.ts';

interface ApiClient {
  call(method: string, path: string, options?: { json?: unknown }): Promise<{ json: unknown }>;
}

/** Returns a client of a server that answers so, and what it says before it tries again. */
async function clientOf(answer: RequestListener, more: object = {}) {
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
  const settings = { url, keys: null, version: '0', ...more };
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

describe('keys that expire during a deploy', () => {
  const keysOf = (publicKey: string) => ({ publicKey, secretKey: 'secret' });
  const headerOf = (publicKey: string) => `Basic ${Buffer.from(`${publicKey}:secret`).toString('base64')}`;
  const acceptOnly = (publicKey: string, seen: unknown[]): RequestListener => {
    return ({ headers }, response) => {
      seen.push(headers.authorization);
      const isRight = headers.authorization === headerOf(publicKey);
      response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' }).end('{}');
    };
  };

  it('are replaced once for all calls that notice it', async () => {
    let renewed = 0;
    const renewKeys = async () => {
      renewed += 1;
      return keysOf('new');
    };
    const settings = { keys: keysOf('old'), renewKeys };
    const { client } = await clientOf(acceptOnly('new', []), settings);
    const calls = Array.from({ length: 5 }, () => client.call('PUT', '/blobs'));
    expect(await Promise.all(calls)).toHaveLength(5);
    await client.call('POST', '/seal');
    expect(renewed).toBe(1);
  });

  it('end the call when the new ones are refused too, or there can be none', async () => {
    for (const renewKeys of [async () => keysOf('new'), null]) {
      const seen: unknown[] = [];
      const { client } = await clientOf(acceptOnly('other', seen), { keys: keysOf('old'), renewKeys });
      await expect(client.call('PUT', '/blobs')).rejects.toMatchObject({ status: 401 });
      expect(seen).toEqual(renewKeys ? [headerOf('old'), headerOf('new')] : [headerOf('old')]);
    }
  });
});
