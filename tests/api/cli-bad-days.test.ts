import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { withSite } from '#tests/support/server/cli-site.ts';
import { type Fault, startFaultyProxy } from '#tests/support/server/faulty-proxy.ts';
import { CLI, runCli } from '#tests/support/server/run-cli.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';

/** Runs a line of bash in which `"$@"` is the command line with these arguments. */
async function runInShell(line: string, args: string[], environment: Record<string, string>) {
  const whole = ['-c', line, 'bash', process.execPath, CLI, ...args];
  return promisify(execFile)('bash', whole, { env: { ...process.env, ...environment } });
}

function manyFiles(count: number, bytes: number): Record<string, Buffer> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${index}.bin`, randomBytes(bytes)]),
  );
}

describe('portage, whose output nobody takes', () => {
  it('goes on when its reader has had enough, and ends with what came of it', async () => {
    const { environment, versions } = await withSite();
    const folder = await makeTemporaryFolder({ 'index.html': 'x' });
    const line = 'set -o pipefail; "$@" 2>&1 >/dev/null | true; echo "$?"';
    const deploy = ['deploy', folder, '--site', 'myblog'];
    expect(await runInShell(line, deploy, environment)).toEqual({ stdout: '0\n', stderr: '' });
    expect(await versions()).toMatchObject([{ is_current: true }]);
    for (const args of [['help'], ['versions', 'list', '--site', 'myblog'], [...deploy, '--json']]) {
      const { stdout, stderr } = await runInShell(
        'set -o pipefail; "$@" | true; echo "$?"',
        args,
        environment,
      );
      expect(stdout).toBe('0\n');
      expect(stderr).not.toContain('EPIPE');
    }
  });

  it('fails when its result cannot be written', async () => {
    const { environment } = await withSite();
    const args = ['versions', 'list', '--site', 'myblog'];
    const run = await runInShell('"$@" >/dev/full; echo "$?"', args, environment);
    expect(run).toEqual({ stdout: '1\n', stderr: 'The output cannot be written (ENOSPC).\n' });
  });
});

describe('portage deploy, when the server is away', () => {
  it('outlasts a restart, however many attempts that takes, and says so once for all uploads', async () => {
    const { environment, baseUrl, versions } = await withSite();
    const folder = await makeTemporaryFolder(manyFiles(12, 600_000));
    const seen = new Map<string, number>();
    const proxyUrl = await startFaultyProxy(baseUrl, ({ method, url }) => {
      if (method !== 'PUT') return 'pass';
      const count = (seen.get(url ?? '') ?? 0) + 1;
      seen.set(url ?? '', count);
      return count > (seen.size === 1 ? 9 : 1) ? 'pass' : { status: 503, headers: { 'retry-after': '0' } };
    });
    const run = await runCli(['deploy', folder, '--site', 'myblog'], {
      ...environment,
      PORTAGE_URL: proxyUrl,
    });
    expect(run.code).toBe(0);
    expect(seen.size).toBe(12);
    expect(run.stderr.split('trying again').length).toBeLessThan(8);
    expect(await versions()).toMatchObject([{ is_current: true, file_count: 12 }]);
  });

  it.each([
    ['a date that has passed', 'Thu, 01 Jan 1970 00:00:00 GMT'],
    ['less than nothing', '-5'],
    ['nothing', ''],
    ['something else', 'soon'],
  ])('waits a moment when Retry-After is %s', async (_, value) => {
    const { environment, baseUrl } = await withSite();
    const folder = await makeTemporaryFolder({ 'index.html': 'x' });
    const faults: Fault[] = [429, 503].map((status) => ({ status, headers: { 'retry-after': value } }));
    const proxyUrl = await startFaultyProxy(baseUrl, ({ method }) =>
      method === 'GET' ? 'pass' : (faults.shift() ?? 'pass'),
    );
    const run = await runCli(['deploy', folder, '--site', 'myblog'], {
      ...environment,
      PORTAGE_URL: proxyUrl,
    });
    expect(run.code).toBe(0);
    expect(run.stderr).not.toContain('Warning');
  });

  it('ends with 3 when its credential is revoked meanwhile, and publishes nothing', async () => {
    const { app, environment, baseUrl } = await withSite();
    const folder = await makeTemporaryFolder(manyFiles(6, 600_000));
    let uploads = 0;
    let refused: string | undefined;
    let isRevoked = false;
    const revoke = async () => {
      await app.db.updateTable('credentials').set({ is_active: 0 }).execute();
      isRevoked = true;
    };
    const proxyUrl = await startFaultyProxy(baseUrl, ({ method, url }) => {
      if (method !== 'PUT') return 'pass';
      uploads += 1;
      if (uploads === 1) return 'pass';
      if (refused === undefined) void revoke();
      refused ??= url;
      // The other uploads get no response, which must not delay the end.
      if (url !== refused) return 'hang';
      return isRevoked ? 'pass' : { status: 503, headers: { 'retry-after': '0' } };
    });
    const run = await runCli(['deploy', folder, '--site', 'myblog'], {
      ...environment,
      PORTAGE_URL: proxyUrl,
    });
    expect(run.stderr).toContain('\nThe credential is unknown, expired or inactive.\n');
    expect(run.code).toBe(3);
  });
});

describe('portage deploy of a folder that is at work', () => {
  it.each([
    ['small', 100],
    ['large', 600_000],
  ])('names a %s file whose content has changed since it was read', async (_, bytes) => {
    const { environment, baseUrl, versions } = await withSite();
    const folder = await makeTemporaryFolder({ 'index.html': 'x', 'changed.bin': randomBytes(bytes) });
    const proxyUrl = await startFaultyProxy(baseUrl, ({ method }) => {
      // The manifest is opened when all files have been read, and before any is sent.
      if (method === 'POST') writeFileSync(join(folder, 'changed.bin'), randomBytes(bytes), { flag: 'r+' });
      return 'pass';
    });
    const run = await runCli(['deploy', folder, '--site', 'myblog'], {
      ...environment,
      PORTAGE_URL: proxyUrl,
    });
    expect(run.stderr).toContain('\nchanged.bin changed while it was being deployed. Deploy again.\n');
    expect(run.code).toBe(1);
    expect(await versions()).toMatchObject([{ is_current: false }]);
  });

  it('ends when folders link to each other, by more ways than can be gone', async () => {
    const { environment } = await withSite();
    const folder = await makeTemporaryFolder({});
    const names = Array.from({ length: 10 }, (_, index) => `folder-${index}`);
    for (const name of names) await mkdir(join(folder, name));
    for (const name of names) {
      for (const other of names) await symlink(join('..', other), join(folder, name, `to-${other}`));
    }
    const run = await runCli(['deploy', folder, '--site', 'myblog'], environment);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(
      /^Links lead to the same folder more than 1,000 times, such as folder-\d\/to-folder/,
    );
  });

  it('takes the report of another run of the same files that was faster', async () => {
    const { environment, baseUrl, versions } = await withSite();
    const folder = await makeTemporaryFolder(manyFiles(1, 600_000));
    const args = ['deploy', folder, '--site', 'myblog', '--json'];
    let isOtherDone = false;
    let isAsked = false;
    const proxyUrl = await startFaultyProxy(baseUrl, ({ method }) => {
      if (method !== 'PUT' || isOtherDone) return 'pass';
      if (!isAsked) void runCli(args, environment).then(() => (isOtherDone = true));
      isAsked = true;
      return { status: 503, headers: { 'retry-after': '0' } };
    });
    const run = await runCli(args, { ...environment, PORTAGE_URL: proxyUrl });
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ report: { is_published: true } });
    expect(await versions()).toMatchObject([{ number: 1, is_current: true }]);
  });

  it('succeeds twice for a folder that is deployed twice at once, with a manifest in parts', async () => {
    const { environment, versions } = await withSite();
    const folder = await makeTemporaryFolder(manyFiles(2_600, 10));
    const deploy = () => runCli(['deploy', folder, '--site', 'myblog', '--json'], environment);
    const runs = await Promise.all([deploy(), deploy()]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    expect(await versions()).toContainEqual(expect.objectContaining({ is_current: true, file_count: 2_600 }));
  });
});
