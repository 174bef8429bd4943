import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '#tests/support/free-port.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { endProcess } from '#tests/support/server/end-process.ts';
import { makeServerCertificate } from '#tests/support/server/server-certificate.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';
import { registerBucketOwner } from '#tests/support/storage/s3-client.ts';

const EXAMPLES = join(import.meta.dirname, '..', '..', '..', 'docs', 'examples');

/** Where an example of a proxy listens in a test, and what it leads to. */
interface Place {
  folder: string;
  consolePort: number;
  s3Port: number;
  server: TestServer;
}

/** The example with this machine's names, ports and certificate instead of its own. */
const PROXIES = {
  nginx: {
    async configure({ folder, consolePort, s3Port, server }: Place): Promise<string[]> {
      const example = await readFile(join(EXAMPLES, 'nginx.conf'), 'utf8');
      let listens = 0;
      const blocks = example
        .replace(/listen 443 ssl/g, () => `listen 127.0.0.1:${[consolePort, s3Port][listens++]} ssl`)
        .replace(/\/etc\/ssl\/\S+\.pem/g, join(folder, 'certificate.pem'))
        .replace(/\/etc\/ssl\/\S+\.key/g, join(folder, 'key.pem'))
        .replaceAll('127.0.0.1:3000', `127.0.0.1:${server.consolePort}`)
        .replaceAll('127.0.0.1:9000', `127.0.0.1:${server.s3Port}`)
        // A port other than 443 is part of the name.
        .replaceAll('Host $host;', 'Host $http_host;');
      const whole = `user root;\npid ${folder}/pid;\nerror_log ${folder}/error.log;\nevents {}\nhttp {\naccess_log off;\n${blocks}\n}\n`;
      await writeFile(join(folder, 'nginx.conf'), whole);
      return ['/usr/sbin/nginx', '-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'];
    },
  },
  caddy: {
    async configure({ folder, consolePort, s3Port, server }: Place): Promise<string[]> {
      const tls = `tls ${join(folder, 'certificate.pem')} ${join(folder, 'key.pem')}`;
      const example = await readFile(join(EXAMPLES, 'Caddyfile'), 'utf8');
      const sites = example
        .replace('console.example.ca {', `https://localhost:${consolePort} {\n\t${tls}`)
        .replace('s3.example.net, *.s3.example.net {', `https://localhost:${s3Port} {\n\t${tls}`)
        .replaceAll('127.0.0.1:3000', `127.0.0.1:${server.consolePort}`)
        .replaceAll('127.0.0.1:9000', `127.0.0.1:${server.s3Port}`);
      await writeFile(
        join(folder, 'Caddyfile'),
        `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${sites}`,
      );
      return ['/usr/bin/caddy', 'run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
    },
  },
};

describe.each(Object.entries(PROXIES))('behind %s, as docs/examples has it', (name, { configure }) => {
  let folder: string;
  let server: TestServer;
  let proxy: ChildProcess;
  let said = '';
  let publicUrl: string;
  let s3Url: string;
  const trusted = getCACertificates();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), `portage-${name}-`));
    const { certificate, privateKey } = await makeServerCertificate(['localhost', '127.0.0.1']);
    await writeFile(join(folder, 'certificate.pem'), certificate);
    await writeFile(join(folder, 'key.pem'), privateKey);
    setDefaultCACertificates([...trusted, certificate]);
    const [consolePort, s3Port] = [await freePort(), await freePort()];
    publicUrl = `https://localhost:${consolePort}`;
    s3Url = `https://localhost:${s3Port}`;
    server = await startTestServer({
      ROLES: 'console,s3,jobs',
      PROCESSES: 'auto',
      BILLING_MODE: 'off',
      PUBLIC_URL: publicUrl,
      S3_URL: s3Url,
      TRUST_PROXY: 'console,s3',
      CONSOLE_BIND_ADDRESS: '127.0.0.1',
      S3_BIND_ADDRESS: '127.0.0.1',
    });
    const [program = '', ...args] = await configure({ folder, consolePort, s3Port, server });
    proxy = spawn(program, args, {
      env: { PATH: process.env.PATH ?? '', HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [proxy.stdout, proxy.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
    }
    await pollUntil(
      async () => (await fetch(`${publicUrl}/healthz`).catch(() => null))?.ok,
      (isOk) => isOk === true,
    );
  });
  afterAll(async () => {
    setDefaultCACertificates(trusted);
    await endProcess(proxy, 'SIGTERM');
    await server?.close();
    await removeFolder(folder);
  });

  it('signs people in, records the address that the proxy saw, and keeps metrics private', async () => {
    const page = await fetch(`${publicUrl}/login`);
    expect([page.status, said]).toMatchObject([200, expect.any(String)]);
    expect(page.headers.get('strict-transport-security')).toMatch(/max-age/);
    const { deployer } = await registerBucketOwner({ ...server, consoleUrl: publicUrl });
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const site = await deployer.person('POST', '/api/v1/sites', { json: { name: 'harbour' }, headers });
    expect(site.status).toBe(201);
    const { text: events } = await deployer.person('GET', '/api/v1/audit/events');
    expect(events).toContain('127.0.0.');
    expect(events).not.toContain('203.0.113.');
    expect((await fetch(`${publicUrl}/metrics`)).status).toBe(403);
  });

  it('passes S3 requests on with their signatures, and large objects completely', async () => {
    const owner = await registerBucketOwner({ ...server, consoleUrl: publicUrl });
    const bucket = await owner.createBucket(`behind-${name}`);
    const client = owner.client(await owner.createKeys([bucket.id]), { endpoint: s3Url });
    const body = randomBytes(20 * 1024 * 1024);
    await client.send(new PutObjectCommand({ Bucket: bucket.name, Key: 'large', Body: body }));
    const got = await client.send(new GetObjectCommand({ Bucket: bucket.name, Key: 'large' }));
    expect(body.equals((await got.Body?.transformToByteArray()) ?? new Uint8Array())).toBe(true);
    client.destroy();
  });
});
