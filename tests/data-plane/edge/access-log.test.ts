import { mkdtemp, readFile, stat } from 'node:fs/promises';
import { connect } from 'node:http2';
import { request as requestSecurely } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Deployer, registerDeployer } from '#tests/support/client/deploy-client.ts';
import { freePort } from '#tests/support/free-port.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';

type Line = Record<string, unknown>;

const SECRET = 'verysecret';
const METRICS_TOKEN = 'a token of sixteen or more';

let server: TestServer;
let deployer: Deployer;
let host: string;
let healthAddress: string;
beforeAll(async () => {
  const healthPort = await freePort();
  healthAddress = `http://127.0.0.1:${healthPort}`;
  server = await startTestServer({
    PROCESSES: 'auto',
    EDGE_PROCESSES: '2',
    ACCESS_LOG: 'edge,console,s3',
    HEALTH_PORT: String(healthPort),
    METRICS_TOKEN,
  });
  deployer = await registerDeployer(server);
  const site = await deployer.createSite('seen');
  await site.deploy({ 'index.html': 'seen', 'missing/index.html': 'here' });
  host = site.host;
});
afterAll(() => server?.close());

/** Returns the log lines of requests with this user agent, once there are this many. */
async function linesOf(agent: string, count = 1): Promise<Line[]> {
  return pollUntil(
    async () =>
      server
        .output()
        .split('\n')
        .filter((line) => line.includes(`"${agent}"`) && line.includes('"log":"access"'))
        .map((line) => JSON.parse(line) as Line),
    (lines) => lines.length >= count,
  );
}

describe('the access log', () => {
  it('has a line for each request to a site, without its query, cookies and the visitor’s whole address', async () => {
    const headers = {
      'user-agent': 'plain-visitor',
      referer: `https://from.example/path?${SECRET}`,
      cookie: `session=${SECRET}`,
    };
    for (let visit = 0; visit < 6; visit += 1)
      expect((await server.edge(host, `/?token=${SECRET}`, { headers })).status).toBe(200);
    const lines = await linesOf('plain-visitor', 6);
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatchObject({
      level: 30,
      log: 'access',
      role: 'edge',
      address: '127.0.0.0',
      method: 'GET',
      path: '/',
      status: 200,
      bytes: 4,
      cache: 'miss',
      referer: 'from.example',
      user_agent: 'plain-visitor',
    });
    expect(String(lines[0]?.host)).toContain(host);
    expect(lines.some(({ cache }) => cache === 'hit')).toBe(true);
    expect(server.output()).not.toContain(SECRET);
  });

  it('includes requests that leave the fast path, those over TLS and those over HTTP/2', async () => {
    const port = Number(server.environment.EDGE_HTTPS_PORT);
    await server.edge(host, '/', { method: 'POST', headers: { 'user-agent': 'posting-visitor' } });
    expect((await linesOf('posting-visitor'))[0]).toMatchObject({ method: 'POST', status: 405 });
    const secure = await new Promise<number | undefined>((resolve, reject) => {
      const options = {
        port,
        host: '127.0.0.1',
        servername: host,
        path: '/nothing',
        rejectUnauthorized: false,
      };
      const headers = { host, 'user-agent': 'secure-visitor' };
      const request = requestSecurely({ ...options, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      request.on('error', reject).end();
    });
    expect((await linesOf('secure-visitor'))[0]).toMatchObject({ path: '/nothing', status: secure });
    const session = connect(`https://127.0.0.1:${port}`, { servername: host, rejectUnauthorized: false });
    for (const path of ['/', '/nothing', '/']) {
      const stream = session.request({
        ':authority': host,
        ':path': path,
        'user-agent': 'streaming-visitor',
      });
      await text(stream);
    }
    session.close();
    const streamed = await linesOf('streaming-visitor', 3);
    expect(streamed.map(({ path, status }) => `${path} ${status}`).sort()).toEqual([
      '/ 200',
      '/ 200',
      '/nothing 404',
    ]);
  });

  it('includes the requests of console and S3 service, with the id in their responses', async () => {
    const headers = { 'user-agent': 'api-visitor', authorization: `Bearer ptgpk_x:${SECRET}` };
    const response = await fetch(`${server.consoleUrl}/api/v1/sites?key=${SECRET}`, { headers });
    const [line] = await linesOf('api-visitor');
    const id = response.headers.get('x-request-id');
    expect(line).toMatchObject({ role: 'console', path: '/api/v1/sites', status: 401, request_id: id });
    const invited = { 'user-agent': 'invited-visitor' };
    await fetch(`${server.consoleUrl}/invitations/${SECRET}`, { headers: invited });
    expect((await linesOf('invited-visitor'))[0]).toMatchObject({ path: '/invitations/[removed]' });
    const stored = await fetch(`http://127.0.0.1:${server.s3Port}/bucket/key?X-Amz-Signature=${SECRET}`, {
      headers: { 'user-agent': 'storing-visitor' },
    });
    expect((await linesOf('storing-visitor'))[0]).toMatchObject({
      role: 's3',
      operation: 'GetObject',
      path: '/bucket/key',
      status: stored.status,
    });
    expect(server.output()).not.toContain(SECRET);
  });

  it('accepts texts of any length and kind, with one line each', async () => {
    const agent = `long-visitor ${'x'.repeat(5_000)}`;
    await server.edge(host, `/${'a/'.repeat(2_000)}"\\`, { headers: { 'user-agent': agent } });
    const line = await pollUntil(
      async () =>
        server
          .output()
          .split('\n')
          .find((each) => each.includes('long-visitor')),
      (found) => found !== undefined,
    );
    expect(line?.length).toBeLessThan(4_096);
    expect(JSON.parse(line ?? '')).toMatchObject({ role: 'edge' });
  });
});

describe('the metrics', () => {
  it('count the responses of each role, by class and operation', async () => {
    const authorization = `Bearer ${METRICS_TOKEN}`;
    const figures = await (await fetch(`${healthAddress}/metrics`, { headers: { authorization } })).text();
    const sumOf = (name: string, labels: string) =>
      figures
        .split('\n')
        .filter((line) => line.startsWith(`${name}{`) && line.includes(labels))
        .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    expect(sumOf('portage_edge_answers_total', 'status="2xx",source="ready"')).toBeGreaterThan(0);
    expect(sumOf('portage_edge_answers_total', 'status="4xx",source="made"')).toBeGreaterThan(2);
    expect(sumOf('portage_edge_answer_seconds_count', '')).toBeGreaterThan(2);
    expect(sumOf('portage_s3_request_seconds_count', 'operation="GetObject",status="4xx"')).toBe(1);
    expect(sumOf('portage_job_runs_total', 'result="done"')).toBeGreaterThan(0);
    expect(sumOf('portage_console_request_seconds_count', 'kind="rest",status="4xx"')).toBeGreaterThan(0);
  });
});

describe('without the setting', () => {
  it('logs nothing about requests; with a file, it contains the lines and standard output has none', async () => {
    const quiet = await startTestServer();
    try {
      await quiet.edge('nobody.sites.localhost', '/', { headers: { 'user-agent': 'unseen-visitor' } });
      await quiet.stop();
      expect(quiet.output()).not.toContain('"log":"access"');
    } finally {
      await quiet.close();
    }
    const folder = await mkdtemp(join(tmpdir(), 'portage-access-'));
    const file = join(folder, 'access.log');
    const filed = await startTestServer({
      ACCESS_LOG: 'edge',
      ACCESS_LOG_ADDRESSES: 'whole',
      ACCESS_LOG_FILE: file,
    });
    try {
      await filed.edge('nobody.sites.localhost', '/', { headers: { 'user-agent': 'filed-visitor' } });
      await filed.stop();
      expect(filed.output()).not.toContain('"log":"access"');
      const lines = (await readFile(file, 'utf8')).trim().split('\n');
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { address: '127.0.0.1', status: 404, user_agent: 'filed-visitor' },
      ]);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    } finally {
      await filed.close();
      await removeFolder(folder);
    }
  });
});
