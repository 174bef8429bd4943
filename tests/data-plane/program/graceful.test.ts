import { randomBytes } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type DeploySite,
  hashOf,
  registerDeployer,
  requireStatus,
} from '#tests/support/client/deploy-client.ts';
import { type RawUpload, startUpload } from '#tests/support/client/raw-upload.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';
import { registerBucketOwner } from '#tests/support/storage/s3-client.ts';
import { signAndSend } from '#tests/support/storage/s3-raw.ts';
import { signedHeaders } from '#tests/support/storage/s3-signing.ts';
import { RawConnection, requestText } from '../edge/edge-client.ts';

const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function startServer(): Promise<{ server: TestServer; site: DeploySite }> {
  const server = await startTestServer({ LOG_LEVEL: 'warn' });
  servers.push(server);
  return { server, site: await (await registerDeployer(server)).createSite('graceful') };
}

/** Whether anything still listens on a port. */
function isAccepting(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function untilClosed(...ports: number[]): Promise<void> {
  for (const port of ports)
    await pollUntil(
      () => isAccepting(port),
      (accepts) => !accepts,
    );
}

/** Sends a request to the console on a new connection and waits for the end of the response. */
function askOnNewConnection(server: TestServer, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: server.consolePort, path, agent: false }, (response) => {
      response.resume().once('end', resolve);
    });
    sent.once('error', reject);
    sent.end();
  });
}

/** Sends half of a file and holds it there. */
async function halfUpload(
  server: TestServer,
  site: DeploySite,
  content: Buffer,
): Promise<{ upload: RawUpload; versionPath: string }> {
  const version = await site.open({ 'slow.bin': content });
  const address = new URL(`${version.path}/blobs/${hashOf(content)}`, server.consoleUrl);
  const length = { 'content-length': content.byteLength };
  const upload = startUpload('PUT', address, { authorization: site.authorization, ...length });
  await upload.send(content.subarray(0, content.byteLength / 2));
  // Connections are accepted in order: a response on a later one shows that the half upload has been accepted
  // as well. A client's kept connection would not show it; it can be served before a new one is accepted.
  await askOnNewConnection(server, '/healthz');
  return { upload, versionPath: version.path };
}

/** Opens a download without accepting any of it yet. */
function openDownload(server: TestServer, host: string, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { host: `${host}:${server.edgePort}` };
    const sent = request(
      { host: '127.0.0.1', port: server.edgePort, path, headers, agent: false },
      (response) => {
        response.pause();
        resolve(response);
      },
    );
    sent.once('error', reject);
    sent.end();
  });
}

describe('a server told to stop', () => {
  it('finishes a slow upload, accepts no new connection, and ends with 0', async () => {
    const { server, site } = await startServer();
    const content = randomBytes(400_000);
    const { upload, versionPath } = await halfUpload(server, site, content);
    const stopped = server.stop();
    await untilClosed(server.consolePort, server.edgePort);
    await upload.send(content.subarray(content.byteLength / 2));
    requireStatus(await upload.finish(), 200);
    expect(await stopped).toBe(0);

    await server.start();
    const missing = requireStatus(await site.client('GET', `${versionPath}/missing`), 200);
    expect(JSON.parse(missing.text)).toEqual({ missing: [], next_cursor: null });
  });

  it('finishes a slow upload to a bucket', async () => {
    const server = await startTestServer({ LOG_LEVEL: 'warn' });
    servers.push(server);
    const owner = await registerBucketOwner(server);
    const { id } = await owner.createBucket('graceful');
    const keys = await owner.createKeys([id]);
    const content = randomBytes(400_000);
    const host = `127.0.0.1:${server.s3Port}`;
    const path = '/graceful/slow.bin';
    const headers = signedHeaders({ method: 'PUT', path, host, keys });
    const length = { 'content-length': content.byteLength };
    const upload = startUpload('PUT', new URL(path, `http://${host}`), { ...headers, ...length });
    await upload.send(content.subarray(0, content.byteLength / 2));
    // A response on a later connection shows that the half upload was accepted.
    await signAndSend(server.s3Port, { method: 'GET', path: '/graceful', keys });
    const stopped = server.stop();
    await untilClosed(server.s3Port);
    // Longer than idle connections are kept.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await upload.send(content.subarray(content.byteLength / 2));
    expect((await upload.finish()).status).toBe(200);
    expect(await stopped).toBe(0);
  });

  it('finishes a slow download to the last byte', async () => {
    const { server, site } = await startServer();
    const content = randomBytes(24 * 1024 * 1024);
    await site.deploy({ 'film.bin': content });
    const download = await openDownload(server, site.host, '/film.bin');
    const stopped = server.stop();
    await untilClosed(server.edgePort, server.consolePort);
    const chunks: Buffer[] = [];
    for await (const chunk of download) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(content)).toBe(true);
    expect(await stopped).toBe(0);
  });

  it('does not wait for clients that keep sending requests over one connection of the console or the edge', async () => {
    const { server, site } = await startServer();
    await site.deploy({ 'index.html': 'here' });
    /** Sends one request after the other until the connection ends, and tells how many were answered. */
    const keepAsking = (host: string, port: number) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const ask = (): Promise<boolean> =>
        new Promise((resolve) => {
          const headers = { host: `${host}:${port}` };
          const sent = request({ host: '127.0.0.1', port, path: '/healthz', headers, agent }, (response) => {
            response.resume();
            response.once('end', () => resolve(true));
            response.once('error', () => resolve(false));
          });
          sent.once('error', () => resolve(false));
          sent.end();
        });
      const asked = { count: 0 };
      const done = (async () => {
        while (await ask()) asked.count += 1;
        agent.destroy();
      })();
      return { asked, done };
    };
    const clients = [keepAsking('localhost', server.consolePort), keepAsking(site.host, server.edgePort)];
    await pollUntil(
      async () => clients.map(({ asked }) => asked.count),
      (counts) => counts.every((count) => count > 10),
    );
    expect(await server.stop()).toBe(0);
    await Promise.all(clients.map(({ done }) => done));
  });

  it('serves what was on its way to console, edge and S3 service over kept connections, as the last responses', async () => {
    const server = await startTestServer({ LOG_LEVEL: 'warn', STOP_GRACE_SECONDS: '9' });
    servers.push(server);
    const ports = [server.consolePort, server.edgePort, server.s3Port];
    const kept = ports.map((port) => {
      const connections = Array.from({ length: 8 }, () => new RawConnection(port));
      return { connections, ask: requestText('/healthz', { Host: `localhost:${port}` }) };
    });
    for (const { connections, ask } of kept) {
      for (const connection of connections) {
        connection.send(ask);
        await connection.response();
      }
    }
    const stopped = server.stop();
    await untilClosed(...ports);
    for (const { connections, ask } of kept) {
      for (const connection of connections) {
        connection.send(ask);
        expect((await connection.response()).headers.connection).toBe('close');
        await connection.closed();
      }
    }
    expect(await stopped).toBe(0);
  });

  it('ends immediately on a second signal', async () => {
    const { server, site } = await startServer();
    const { upload } = await halfUpload(server, site, randomBytes(400_000));
    const stopped = server.stop();
    await untilClosed(server.consolePort);
    // The upload does not progress, so only the second signal ends the process well before its own deadline
    // of 25 s.
    let code: number | null | undefined;
    void server.stop().then((exitCode) => {
      code = exitCode;
    });
    expect(
      await pollUntil(
        async () => code,
        (exitCode) => exitCode !== undefined,
        200,
      ),
    ).toBe(1);
    expect(await stopped).toBe(1);
    expect(server.output()).not.toContain('the stop failed');
    await upload.cut();
  });
});
