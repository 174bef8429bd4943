import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '#server/config/config.ts';
import { createApp } from '#server/create-app.ts';
import { readinessCheckOf } from '#server/health/check-readiness.ts';
import { checkRoles } from '#server/health/check-roles.ts';
import { newId, newLabel } from '#server/ids.ts';
import type { RunningRole } from '#server/roles/running-role.ts';
import { startDns } from '#server/roles/start-dns.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { dig, digShort } from '#tests/support/dns/dig.ts';
import { freePort } from '#tests/support/free-port.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { endProcess } from '#tests/support/server/end-process.ts';
import { programEnvironment } from '#tests/support/server/program-environment.ts';

const running: RunningRole[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((role) => role.stop()));
});

/** Starts the role on the database of `app`, as one of the nodes that share it. */
async function startNode(app: TestApp): Promise<number> {
  const port = await freePort();
  const config = { ...app.config, dnsPort: port, bindAddress: '127.0.0.1' };
  running.push(await startDns({ ...app, config }));
  return port;
}

async function insertBundle(app: TestApp): Promise<string> {
  const now = app.clock.now();
  const label = newLabel();
  const times = { next_check_at: now, created_at: now, updated_at: now };
  await app.db
    .insertInto('certificate_bundles')
    .values({ id: newId(now), domain_name: `${label}.example.ca`, dns_challenge_id: label, ...times })
    .execute();
  return label;
}

describe('the role dns', () => {
  it('answers from the database on every node, from the moment a value is set', async () => {
    const app = await createTestApp({ environment: { EDGE_ADDRESSES: '192.0.2.1' } });
    const nodes = [await startNode(app), await startNode(app)];
    const label = await insertBundle(app);
    const name = `${label}.acme.localhost`;
    for (const port of nodes) expect(await dig(port, name, 'TXT')).toMatch(/^NOERROR\n.*\n.*\nAUTHORITY\n/);
    for (const value of ['first', 'second']) {
      const row = { dns_challenge_id: label, value, created_at: app.clock.now() };
      await app.db.insertInto('challenge_values').values(row).execute();
    }
    for (const port of nodes) expect(await digShort(port, name, 'TXT')).toEqual(['"first"', '"second"']);
    await app.db.deleteFrom('certificate_bundles').execute();
    await app.db.deleteFrom('challenge_values').execute();
    for (const port of nodes) {
      expect(await dig(port, name, 'TXT')).toMatch(/^NXDOMAIN\n/);
      expect(await digShort(port, 'k3j2.edge.localhost', 'A')).toEqual(['192.0.2.1']);
    }
  });

  it('reports a failure while the database is down', async () => {
    const app = await createTestApp();
    const port = await startNode(app);
    await app.db.destroy();
    expect(await dig(port, `${newLabel()}.acme.localhost`, 'TXT')).toMatch(/^SERVFAIL\n/);
  });

  it('is named by /readyz while it answers nobody, which leaves everything else ready', async () => {
    const app = await createTestApp();
    const node = { ...app, config: { ...app.config, dnsPort: await freePort(), bindAddress: '127.0.0.1' } };
    const role = await startDns(node);
    expect(await checkRoles(node)).toEqual({ dns: true });
    await role.stop();
    expect(await readinessCheckOf(node)()).toEqual({
      isReady: true,
      checks: { database: 'ok', store: 'ok', dns: 'failed' },
    });
  });

  it('leaves a port in use alone while a local authority issues, and otherwise names the setting', async () => {
    const taken = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', () => resolve()));
    try {
      const app = await createTestApp();
      const config = { ...app.config, dnsPort: port, bindAddress: '127.0.0.1' };
      const node = { ...app, config };
      expect((await startDns(node)).address).toBeNull();
      expect((await readinessCheckOf(node)()).checks).toMatchObject({ dns: 'failed' });
      const acme = {
        directoryUrl: 'https://ca.example.ca',
        contact: null,
        externalAccount: null,
        caFile: null,
      };
      await expect(startDns({ ...app, config: { ...config, acme } })).rejects.toThrow(
        'DNS_PORT cannot be used: another program is listening there.',
      );
    } finally {
      await new Promise((resolve) => taken.close(resolve));
    }
  });
});

describe('DNS_UPDATE_URL', () => {
  it('sends challenge values to the operator’s name server, or ends the start with a message', async () => {
    const app = await createTestApp();
    const create = (url: string) =>
      createApp({ ...app.config, dnsUpdateUrl: url }, app.db, app.logger).then(
        (made) => made.challengeUpdates,
      );
    expect(await create('dns://key:c2VjcmV0@ns1.example.ca:53')).not.toBeNull();
    await expect(create('dns://key@ns1.example.ca')).rejects.toThrow(ConfigError);
    expect(() => loadConfig({ DNS_UPDATE_URL: 'https://ns1.example.ca' })).toThrow(
      'DNS_UPDATE_URL cannot be used: must begin with dns://.',
    );
  });
});

describe('the program with only the dns role', () => {
  let child: ChildProcess | undefined;
  let folder = '';

  afterEach(async () => {
    await endProcess(child, 'SIGTERM');
    await removeFolder(folder);
  });

  it('listens on every address, reports where, and stops when told to', async () => {
    folder = await mkdtemp(join(tmpdir(), 'portage-dns-'));
    const port = await freePort();
    let printed = '';
    const started = spawn(process.execPath, ['server/main.ts'], {
      env: {
        ...programEnvironment(),
        NODE_ENV: 'production',
        ROLES: 'dns',
        DATA_DIR: folder,
        DNS_PORT: String(port),
        CNAME_DOMAIN: 'edge.example.ca',
        EDGE_ADDRESSES: '192.0.2.1,2001:db8::1',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child = started;
    started.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    await pollUntil(
      async () => printed.includes('"ready"') || started.exitCode !== null,
      (isOver) => isOver,
    );
    expect(printed).toContain(`dns port ${port}: acme.localhost, edge.example.ca`);
    expect(await digShort(port, 'k3j2.edge.example.ca', 'AAAA')).toEqual(['2001:db8::1']);
    expect(await digShort(port, '+tcp', 'edge.example.ca', 'NS')).toEqual(['ns.edge.example.ca.']);
    expect(await endProcess(started, 'SIGTERM')).toBe(0);
  });
});
