import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dig, digShort } from '#tests/support/dns/dig.ts';
import { type NameServer, startNameServer } from '#tests/support/dns/name-server.ts';
import { freePort } from '#tests/support/free-port.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { ensureDebianPackages } from '#tests/support/runner/debian-packages.ts';
import { endProcess } from '#tests/support/server/end-process.ts';

/**
 * A caching resolver as strict as those of certificate authorities: names in mixed case, one label more at a
 * time.
 */
describe('a real resolver in front of the name server', () => {
  let server: NameServer;
  let unbound: ChildProcess;
  let folder = '';
  let port = 0;

  beforeAll(async () => {
    ensureDebianPackages(['unbound']);
    server = await startNameServer();
    folder = await mkdtemp(join(tmpdir(), 'portage-unbound-'));
    port = await freePort();
    const stubs = ['acme.example.ca', 'edge.example.ca'].map(
      (name) => `stub-zone:\n  name: "${name}"\n  stub-addr: 127.0.0.1@${server.port}\n`,
    );
    await writeFile(
      join(folder, 'unbound.conf'),
      `server:
  directory: "${folder}"
  chroot: ""
  username: ""
  pidfile: "${folder}/pid"
  use-syslog: no
  interface: 127.0.0.1
  port: ${port}
  do-ip6: no
  do-not-query-localhost: no
  module-config: "iterator"
  use-caps-for-id: yes
  qname-minimisation: yes
  qname-minimisation-strict: yes
  harden-below-nxdomain: yes
  harden-short-bufsize: yes
  unknown-server-time-limit: 500
remote-control:
  control-enable: no
${stubs.join('')}`,
    );
    unbound = spawn('/usr/sbin/unbound', ['-d', '-c', join(folder, 'unbound.conf')], { stdio: 'ignore' });
    await pollUntil(
      () => dig(port, 'ready.edge.example.ca', 'A', '+time=1'),
      (answer) => answer.startsWith('NOERROR'),
    );
  });
  afterAll(async () => {
    await endProcess(unbound, 'SIGTERM');
    await server.close();
    await removeFolder(folder);
  });

  it('gets a value at the very next query, after "no such name" and after "no data"', async () => {
    const ask = () => dig(port, 'abc.acme.example.ca', 'TXT');
    const short = () => digShort(port, 'abc.acme.example.ca', 'TXT');
    expect(await ask()).toMatch(/^NXDOMAIN\n/);
    server.texts.set('abc', []);
    expect(await ask()).toMatch(/^NOERROR\n/);
    expect(await short()).toEqual([]);
    for (const value of ['first', 'second']) {
      server.texts.set('abc', [value]);
      expect(await short()).toEqual([`"${value}"`]);
    }
    server.texts.delete('abc');
    expect(await ask()).toMatch(/^NXDOMAIN\n/);
  });

  it('gets more values than a datagram can contain', async () => {
    server.texts.set(
      'many',
      Array.from({ length: 60 }, (_, index) => String(index).padStart(43, 'v')),
    );
    expect(await digShort(port, '+tcp', 'many.acme.example.ca', 'TXT')).toHaveLength(60);
  });

  it('finds the edge behind every target', async () => {
    expect(await digShort(port, 'k3j2.edge.example.ca', 'AAAA')).toEqual(['2001:db8::1']);
    expect(await dig(port, 'k3j2.edge.example.ca', 'CAA')).toMatch(/^NOERROR\n/);
  });

  it('does not cache a temporary failure', async () => {
    server.isDown = true;
    expect(await dig(port, 'late.acme.example.ca', 'TXT')).toMatch(/^SERVFAIL\n/);
    server.isDown = false;
  });
});
