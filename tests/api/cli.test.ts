import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { listOf } from '#tests/support/client/rest-client.ts';
import { withSite } from '#tests/support/server/cli-site.ts';
import { type Fault, startFaultyProxy } from '#tests/support/server/faulty-proxy.ts';
import { runCli, startCli } from '#tests/support/server/run-cli.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';

describe('portage deploy', () => {
  it('deploys a folder and prints its address, without files that do not belong to a site', async () => {
    const { environment, site, pathsOf, app } = await withSite();
    const folder = await makeTemporaryFolder({
      'index.html': '<h1>1</h1>',
      'déjà vu/page.html': 'page',
      'big.bin': randomBytes(1_500_000),
      'empty.txt': '',
      '.well-known/security.txt': 'contact',
      '.git/config': 'x',
      'node_modules/a/index.js': 'x',
      'sub/.DS_Store': 'x',
    });
    const outside = await makeTemporaryFolder({ 'secret.txt': 'secret' });
    await symlink(join(outside, 'secret.txt'), join(folder, 'leak.txt'));
    await symlink(outside, join(folder, 'leaks'));
    await symlink('index.html', join(folder, 'home.html'));
    await symlink('.', join(folder, 'round'));
    const run = await runCli(['deploy', folder, '--site', 'myblog', '--message', 'first'], environment);
    expect(run.stderr).toContain('Left out leak.txt');
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).toContain('Deployed version 1 of My Blog');
    expect(run.stdout).toContain(`Live     ${site.subdomain_url}`);
    expect(run.stdout).toMatch(/Preview {2}http/);
    const version = await app.db.selectFrom('site_versions').selectAll().executeTakeFirstOrThrow();
    expect(version).toMatchObject({ message: 'first', source: 'cli', created_by: 'CI' });
    const expected = [
      '.well-known/security.txt',
      'big.bin',
      'déjà vu/page.html',
      'empty.txt',
      'home.html',
      'index.html',
    ];
    expect((await pathsOf(version.id)).sort()).toEqual(expected);
  });

  it('refuses two files whose names differ only in how their accents are encoded', async () => {
    const { environment, client, site } = await withSite();
    const folder = await makeTemporaryFolder({ 'caf\u00e9.html': 'one', 'cafe\u0301.html': 'two' });
    const run = await runCli(['deploy', folder, '--site', 'myblog'], environment);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('Two files are called caf\u00e9.html');
    expect(listOf(await client('GET', `/api/v1/sites/${site.id}/versions`))).toEqual([]);
  });

  it('names what is left out, and a file whose name is not UTF-8', async () => {
    const { environment } = await withSite();
    const folder = await makeTemporaryFolder({ 'index.html': 'x' });
    await symlink('/etc/hosts', join(folder, 'elsewhere'));
    await symlink('nothing', join(folder, 'broken'));
    const pipe = join(folder, 'pipe');
    await promisify(execFile)('mkfifo', [pipe]);
    const run = await runCli(['deploy', folder, '--site', 'myblog'], environment);
    expect(run.code, run.stderr).toBe(0);
    expect(run.stderr).toContain('Left out pipe: it is neither a file nor a folder.');
    expect(run.stderr).toContain('Left out broken: it links to nothing that exists.');
    expect(run.stderr).toContain('Left out elsewhere: it links to a place outside the folder.');
    const misnamed = Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9])]);
    for (const create of [() => writeFile(misnamed, 'x'), () => symlink('index.html', misnamed)]) {
      await create();
      const refused = await runCli(['deploy', folder, '--site', 'myblog'], environment);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain('The name of caf\ufffd is not UTF-8.');
      await rm(misnamed);
    }
  });

  it('sends only new content, and prints JSON for machines', async () => {
    const { environment } = await withSite();
    const files: Record<string, string> = Object.fromEntries(
      Array.from({ length: 1500 }, (_, index) => [`page-${index}.html`, `page ${index}`]),
    );
    const folder = await makeTemporaryFolder(files);
    const deploy = async () =>
      JSON.parse((await runCli(['deploy', folder, '--site', 'myblog', '--json'], environment)).stdout);
    expect(await deploy()).toMatchObject({
      uploaded_files: 1500,
      report: { added: 1500, is_published: true },
    });
    expect(await deploy()).toMatchObject({
      uploaded_files: 0,
      version: { number: 2 },
      report: { added: 0, unchanged: 1500 },
    });
    await writeFile(join(folder, 'page-7.html'), 'changed');
    await rm(join(folder, 'page-8.html'));
    expect(await deploy()).toMatchObject({
      uploaded_files: 1,
      report: { changed: 1, removed: 1, unchanged: 1498 },
    });
  });

  it('shows invalid rules, and does not publish when told not to', async () => {
    const { environment, client, site } = await withSite();
    const folder = await makeTemporaryFolder({ 'index.html': 'x', _redirects: '/a /b 301\n/broken\n' });
    const run = await runCli(['deploy', folder, '--site', site.id, '--no-publish'], environment);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('Sealed version 1');
    expect(run.stdout).not.toContain('Live');
    expect(run.stdout).toContain('_redirects:2');
    expect(listOf(await client('GET', `/api/v1/sites/${site.id}/versions`))).toMatchObject([
      { is_current: false },
    ]);
  });

  it('survives broken connections, a busy server and a limit', async () => {
    const { environment, baseUrl, pathsOf } = await withSite();
    const folder = await makeTemporaryFolder({ 'index.html': 'x', 'big.bin': randomBytes(900_000) });
    const faults: Fault[] = [{ status: 503 }, 'break', { status: 429, headers: { 'retry-after': '0' } }];
    const seen = new Map<string, number>();
    const proxyUrl = await startFaultyProxy(baseUrl, (request) => {
      const key = `${request.method} ${request.url}`;
      const count = seen.get(key) ?? 0;
      seen.set(key, count + 1);
      return faults[count] ?? 'pass';
    });
    const run = await runCli(['deploy', folder, '--site', 'myblog', '--json'], {
      ...environment,
      PORTAGE_URL: proxyUrl,
    });
    expect(run.code).toBe(0);
    const result = JSON.parse(run.stdout);
    expect(result).toMatchObject({ version: { number: 1 }, report: { is_published: true } });
    expect(await pathsOf(result.version.id)).toEqual(['big.bin', 'index.html']);
    expect(Math.max(...seen.values())).toBe(4);
  });

  it('continues with the same version after it was killed halfway', async () => {
    const { environment, baseUrl, site, app } = await withSite();
    const folder = await makeTemporaryFolder(
      Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`big-${index}.bin`, randomBytes(600_000)])),
    );
    let uploads = 0;
    let onHanging: () => void = () => undefined;
    const isHanging = new Promise<void>((resolve) => {
      onHanging = resolve;
    });
    const proxyUrl = await startFaultyProxy(baseUrl, (request) => {
      if (request.method !== 'PUT') return 'pass';
      uploads += 1;
      if (uploads <= 3) return 'pass';
      onHanging();
      return 'hang';
    });
    const args = ['deploy', folder, '--site', 'myblog', '--json'];
    const first = startCli(args, { ...environment, PORTAGE_URL: proxyUrl });
    await isHanging;
    const sent = () => app.db.selectFrom('organization_blobs').select('sha256').execute();
    await expect.poll(async () => (await sent()).length, { timeout: 30_000 }).toBe(3);
    first.process.kill('SIGKILL');
    expect((await first.done).code).toBeNull();
    const again = JSON.parse((await runCli(args, environment)).stdout);
    expect(again).toMatchObject({ uploaded_files: 3, version: { number: 1 }, report: { file_count: 6 } });
    const versions = await app.db
      .selectFrom('site_versions')
      .select('id')
      .where('site_id', '=', site.id)
      .execute();
    expect(versions).toHaveLength(1);
  });

  it('sends a manifest of many files in parts, and continues with them after it was killed', async () => {
    const { environment, baseUrl, site, app } = await withSite();
    const folder = await makeTemporaryFolder(
      Object.fromEntries(Array.from({ length: 2600 }, (_, index) => [`d${index % 7}/${index}.txt`, 'same'])),
    );
    const requests: string[] = [];
    let isCut = true;
    let onHanging: () => void = () => undefined;
    const isHanging = new Promise<void>((resolve) => {
      onHanging = resolve;
    });
    const proxyUrl = await startFaultyProxy(baseUrl, (request) => {
      const address = `${request.method} ${(request.url ?? '').replace(/[0-9a-z]{26}/g, 'id')}`;
      requests.push(address);
      if (!isCut || !address.endsWith('/blobs')) return 'pass';
      onHanging();
      return 'hang';
    });
    const args = ['deploy', folder, '--site', 'myblog', '--json'];
    const first = startCli(args, { ...environment, PORTAGE_URL: proxyUrl });
    await isHanging;
    first.process.kill('SIGKILL');
    await first.done;
    isCut = false;
    const isPart = (request: string) => request === 'PUT /api/v1/sites/id/versions/id/files';
    expect(requests.filter(isPart)).toHaveLength(2);
    const again = await runCli(args, { ...environment, PORTAGE_URL: proxyUrl });
    expect(JSON.parse(again.stdout)).toMatchObject({
      uploaded_files: 1,
      version: { number: 1 },
      report: { file_count: 2600, is_published: true, superseded_by: null },
    });
    expect(requests.filter(isPart)).toHaveLength(4);
    const third = await runCli(args, environment);
    expect(JSON.parse(third.stdout)).toMatchObject({ version: { number: 2 }, report: { unchanged: 2600 } });
    const versions = app.db.selectFrom('site_versions').select('id').where('site_id', '=', site.id);
    expect(await versions.execute()).toHaveLength(2);
  });

  it('reports before reading a file that the folder exceeds a limit', async () => {
    const { environment, baseUrl } = await withSite({
      DEPLOY_MAX_FILES: '3',
      DEPLOY_MAX_FILE_BYTES: '10',
      DEPLOY_MAX_VERSION_BYTES: '20',
    });
    const methods: string[] = [];
    const proxyUrl = await startFaultyProxy(baseUrl, (request) => {
      methods.push(String(request.method));
      return 'pass';
    });
    const long = `${'a'.repeat(250)}/`.repeat(4);
    for (const [files, code, words] of [
      [
        { a: '1', b: '2', c: '3', d: '4' },
        'limit_files',
        'The folder has 4 files; a version has at most 3 files.',
      ],
      [{ 'film.bin': 'x'.repeat(11) }, 'limit_file_bytes', 'film.bin has 11 B; a file has at most 10 B.'],
      [
        { a: 'x'.repeat(9), b: 'y'.repeat(9), c: 'zzz' },
        'limit_version_bytes',
        'a version has at most 20 B.',
      ],
      [{ [`${long}${'b'.repeat(30)}`]: 'x' }, 'unsafe_path', 'is longer than 1024 bytes'],
    ] as [Record<string, string>, string, string][]) {
      const args = ['deploy', await makeTemporaryFolder(files), '--site', 'myblog', '--json'];
      const run = await runCli(args, { ...environment, PORTAGE_URL: proxyUrl });
      expect(run.code).toBe(4);
      const { error } = JSON.parse(run.stdout);
      expect(error).toMatchObject({ code, exit_code: 4, message: expect.stringContaining(words) });
    }
    expect(new Set(methods)).toEqual(new Set(['GET']));
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('says that %s has interrupted it, and publishes nothing', async (signal, code) => {
    const { environment, baseUrl, client, site } = await withSite();
    const folder = await makeTemporaryFolder({ 'index.html': 'x' });
    const proxyUrl = await startFaultyProxy(baseUrl, ({ method }) => {
      if (method === 'GET') return 'pass';
      run.process.kill(signal);
      return 'hang';
    });
    const run = startCli(['deploy', folder, '--site', 'myblog'], { ...environment, PORTAGE_URL: proxyUrl });
    const { stderr, ...ended } = await run.done;
    expect([ended.code, stderr.split('\n').at(-2)]).toEqual([code, 'Interrupted. Run it again to continue.']);
    expect(listOf(await client('GET', `/api/v1/sites/${site.id}/versions`))).toEqual([]);
  });

  it('names a file that is removed while it is being deployed, and publishes nothing', async () => {
    const { environment, baseUrl, client, site } = await withSite();
    const folder = await makeTemporaryFolder({ 'index.html': 'x', 'gone.html': 'y' });
    // The folder has been listed when the limits are asked for, and its files are read afterwards.
    const proxyUrl = await startFaultyProxy(baseUrl, () => {
      rmSync(join(folder, 'gone.html'), { force: true });
      return 'pass';
    });
    const run = await runCli(['deploy', folder, '--site', 'myblog'], {
      ...environment,
      PORTAGE_URL: proxyUrl,
    });
    expect(run.stderr).toContain('gone.html was removed while it was being deployed. Deploy again.');
    expect(run.code).toBe(1);
    expect(listOf(await client('GET', `/api/v1/sites/${site.id}/versions`))).toEqual([]);
  });

  it('retries as often as a busy server asks, and reports when a newer version stays live', async () => {
    const { environment, baseUrl } = await withSite();
    const older = await makeTemporaryFolder({ 'index.html': 'older' });
    const newer = await makeTemporaryFolder({ 'index.html': 'newer' });
    let busyResponses = 0;
    let isAsked = false;
    let isNewerLive = false;
    const proxyUrl = await startFaultyProxy(baseUrl, (request) => {
      if (!request.url?.endsWith('/seal')) return 'pass';
      if (!isAsked) {
        isAsked = true;
        void runCli(['deploy', newer, '--site', 'myblog'], environment).then(() => {
          isNewerLive = true;
        });
      }
      if (isNewerLive && busyResponses >= 8) return 'pass';
      busyResponses += 1;
      return { status: 429, headers: { 'retry-after': '0' } };
    });
    const run = await runCli(['deploy', older, '--site', 'myblog'], {
      ...environment,
      PORTAGE_URL: proxyUrl,
    });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('Sealed version 1 of My Blog');
    expect(run.stdout).toContain('Version 2 is newer and stays live');
    expect(run.stdout).not.toContain('Live  ');
  });

  it('opens a new version when the same files are deployed after a rollback', async () => {
    const { environment } = await withSite();
    const one = await makeTemporaryFolder({ 'index.html': 'one' });
    const two = await makeTemporaryFolder({ 'index.html': 'two' });
    const deploy = async (folder: string) =>
      JSON.parse((await runCli(['deploy', folder, '--site', 'myblog', '--json'], environment)).stdout).version
        .number;
    expect([await deploy(one), await deploy(two)]).toEqual([1, 2]);
    expect((await runCli(['rollback', '--site', 'myblog'], environment)).stdout).toContain(
      'Version 1 of My Blog is live',
    );
    expect(await deploy(two)).toBe(3);
  });
});
