import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createSite } from '#server/services/sites/create-site.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { credentialClient, listOf } from '#tests/support/client/rest-client.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';
import { CLI, runCli } from '#tests/support/server/run-cli.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';

async function withSite() {
  const { app, baseUrl } = await startConsoleServer();
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'blog' });
  const { client, publicKey, secretKey } = await credentialClient(baseUrl, context, [site.id]);
  const environment = { PORTAGE_URL: baseUrl, PORTAGE_PUBLIC_KEY: publicKey, PORTAGE_SECRET_KEY: secretKey };
  const versions = async () => listOf(await client('GET', `/api/v1/sites/${site.id}/versions`));
  return { environment, versions };
}

/** Runs a line of bash in which `"$@"` is the command line with these arguments. */
async function runInShell(line: string, args: string[], environment: Record<string, string>) {
  const whole = ['-c', line, 'bash', process.execPath, CLI, ...args];
  return promisify(execFile)('bash', whole, { env: { ...process.env, ...environment } });
}

describe('portage, whose output nobody takes', () => {
  it('goes on when its reader has had enough, and ends with what came of it', async () => {
    const { environment, versions } = await withSite();
    const folder = await makeTemporaryFolder({ 'index.html': 'x' });
    const line = 'set -o pipefail; "$@" 2>&1 >/dev/null | true; echo "$?"';
    const deploy = ['deploy', folder, '--site', 'blog'];
    expect(await runInShell(line, deploy, environment)).toEqual({ stdout: '0\n', stderr: '' });
    expect(await versions()).toMatchObject([{ is_current: true }]);
    for (const args of [['help'], ['versions', 'list', '--site', 'blog'], [...deploy, '--json']]) {
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
    const args = ['versions', 'list', '--site', 'blog'];
    const run = await runInShell('"$@" >/dev/full; echo "$?"', args, environment);
    expect(run).toEqual({ stdout: '1\n', stderr: 'The output cannot be written (ENOSPC).\n' });
  });
});

describe('portage deploy of a folder that is at work', () => {
  it('ends when folders link to each other, by more ways than can be gone', async () => {
    const { environment } = await withSite();
    const folder = await makeTemporaryFolder({});
    const names = Array.from({ length: 10 }, (_, index) => `folder-${index}`);
    for (const name of names) await mkdir(join(folder, name));
    for (const name of names) {
      for (const other of names) await symlink(join('..', other), join(folder, name, `to-${other}`));
    }
    const run = await runCli(['deploy', folder, '--site', 'blog'], environment);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(
      /^Links lead to the same folder more than 1,000 times, such as folder-\d\/to-folder/,
    );
  });
});
