import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createSite } from '#server/services/sites/create-site.ts';
import { withSite } from '#tests/support/server/cli-site.ts';
import { startFaultyProxy } from '#tests/support/server/faulty-proxy.ts';
import { runCli } from '#tests/support/server/run-cli.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';

describe('portage', () => {
  it('lists sites and versions, rolls back and prints the address', async () => {
    const { environment, site } = await withSite();
    for (const text of ['one', 'two', 'three']) {
      await runCli(
        ['deploy', await makeTemporaryFolder({ 'index.html': text }), '--site', 'My Blog'],
        environment,
      );
    }
    const sites = await runCli(['sites', 'list'], environment);
    expect(sites.stdout).toMatch(/^NAME +ADDRESS/);
    expect(sites.stdout).toContain(site.subdomain_url);
    expect((await runCli(['open', '--site', 'myblog'], environment)).stdout).toBe(`${site.subdomain_url}\n`);
    const states = async () =>
      JSON.parse((await runCli(['versions', 'list', '--site', 'myblog', '--json'], environment)).stdout).map(
        (version: { number: number; is_current: boolean; reverted_at: string | null }) =>
          `${version.number}${version.is_current ? ' current' : ''}${version.reverted_at ? ' reverted' : ''}`,
      );
    expect(await states()).toEqual(['3 current', '2', '1']);
    expect((await runCli(['rollback', '--site', 'myblog'], environment)).code).toBe(0);
    expect(await states()).toEqual(['3 reverted', '2 current', '1']);
    expect((await runCli(['rollback', '--site', 'myblog', '--version', '1'], environment)).code).toBe(0);
    expect(await states()).toEqual(['3 reverted', '2 reverted', '1 current']);
    const refused = await runCli(['rollback', '--site', 'myblog'], environment);
    expect([refused.code, refused.stderr]).toEqual([4, 'There is no earlier version to go back to.\n']);
    const reverted = await runCli(['rollback', '--site', 'myblog', '--version', '3', '--json'], environment);
    expect([reverted.code, JSON.parse(reverted.stdout).error.code]).toEqual([4, 'version_reverted']);
    const table = (await runCli(['versions', 'list', '--site', 'myblog'], environment)).stdout;
    expect(table).toMatch(/^VERSION +STATE/);
    expect(table).toMatch(/1 +current/);
    expect(table).toMatch(/ 1 file, 3 B/);
  });

  it('ends with 2 for a wrong command line or folder', async () => {
    const { environment } = await withSite();
    const empty = await makeTemporaryFolder({});
    for (const args of [
      [],
      ['dance'],
      ['deploy'],
      ['deploy', empty],
      ['deploy', empty, '--site', 'myblog'],
      ['deploy', join(empty, 'none'), '--site', 'myblog'],
      ['deploy', 'a', 'b', '--site', 'myblog'],
      ['sites', 'list', '--nonsense'],
      ['versions', 'list', '--site', 'myblog', '--limit', 'x'],
      ['rollback'],
    ]) {
      expect([args, (await runCli(args, environment)).code]).toEqual([args, 2]);
    }
    const wrongUrl = { ...environment, PORTAGE_URL: 'ftp://x' };
    expect((await runCli(['sites', 'list'], wrongUrl)).code).toBe(2);
  });

  it('says in one line what was typed wrongly, without what could control a terminal', async () => {
    const { environment } = await withSite();
    const typed = await runCli(['versions', 'list', '--site', 'myblog', '--limit', '-1'], environment);
    expect(typed.stderr).toBe("Option '--limit' argument is ambiguous. See: portage help\n");
    const colored = await runCli(['\u001b[31mdance\u202e'], environment);
    expect(colored.stderr).toBe('There is no command \ufffd[31mdance\ufffd. See: portage help\n');
  });

  it('ends with 3 without a valid credential and never prints the secret', async () => {
    const { environment } = await withSite();
    expect((await runCli(['sites', 'list'], {})).code).toBe(3);
    const pasted = { ...environment, PORTAGE_SECRET_KEY: `${environment.PORTAGE_SECRET_KEY}\n` };
    expect((await runCli(['sites', 'list'], pasted)).code).toBe(0);
    const wrong = { ...environment, PORTAGE_SECRET_KEY: 'ptgsk_wrong-secret' };
    const run = await runCli(['sites', 'list'], wrong);
    expect(run).toMatchObject({ code: 3, stderr: 'The credential is unknown, expired or inactive.\n' });
    const json = await runCli(['sites', 'list', '--json'], wrong);
    expect(JSON.parse(json.stdout)).toEqual({
      error: {
        message: 'The credential is unknown, expired or inactive.',
        code: 'credential_invalid',
        status: 401,
        request_id: expect.any(String),
        exit_code: 3,
      },
    });
    expect(run.stderr + json.stdout + json.stderr).not.toContain('wrong-secret');
  });

  it('ends with 4 for a site outside its access, and with 5 for an unreachable server', async () => {
    const { environment, person } = await withSite();
    const hidden = await createSite(person.context, { name: 'hidden' });
    for (const site of ['hidden', hidden.id, 'unknown']) {
      const run = await runCli(['versions', 'list', '--site', site], environment);
      expect([run.code, run.stderr]).toEqual([
        4,
        `This credential does not give access to a site ${site}.\n`,
      ]);
    }
    const proxyUrl = await startFaultyProxy('http://127.0.0.1', () => 'break');
    const run = await runCli(['sites', 'list'], { ...environment, PORTAGE_URL: proxyUrl });
    expect(run.code).toBe(5);
    expect(run.stderr).toContain(`Cannot reach ${proxyUrl}`);
  });

  it('is served by every installation as a package that npx runs', async () => {
    const { baseUrl, environment } = await withSite();
    const folder = await makeTemporaryFolder({ 'index.html': 'by npx' });
    const settings = {
      npm_config_cache: await makeTemporaryFolder({}),
      npm_config_update_notifier: 'false',
      HOME: folder,
    };
    const handed = await fetch(`${baseUrl}/cli.tgz`);
    const file = /filename="portage-cli-([\w.-]+\.tgz)"/.exec(
      handed.headers.get('content-disposition') ?? '',
    );
    expect(file?.[1]).toMatch(/^\d+\.\d+\.\d+-[0-9a-f]{10}\.tgz$/);
    const released = await fetch(`${baseUrl}/cli/${file?.[1]}`);
    expect(await released.arrayBuffer()).toEqual(await handed.arrayBuffer());
    expect((await fetch(`${baseUrl}/cli/0.0.1-older.tgz`)).status).toBe(200);
    expect((await fetch(`${baseUrl}/cli/page.html`)).status).toBe(404);
    const args = ['--yes', `${baseUrl}/cli/${file?.[1]}`, 'deploy', folder, '--site', 'myblog', '--json'];
    const run = promisify(execFile)('npx', args, {
      env: { PATH: process.env.PATH, ...environment, ...settings },
    });
    expect(JSON.parse((await run).stdout)).toMatchObject({ report: { is_published: true, file_count: 1 } });
  });

  it('prints its help', async () => {
    const help = await runCli(['help'], {});
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('portage deploy FOLDER --site SITE');
    expect((await runCli(['--version'], {})).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
