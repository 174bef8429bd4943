import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createSite } from '#server/services/sites/create-site.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { credentialClient, listOf } from '#tests/support/client/rest-client.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

const ROOT = process.cwd();

interface Step {
  shell: string;
  env: Record<string, string>;
  run: string;
}
interface Action {
  inputs: Record<string, { required: boolean; default?: string; description: string }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: Step[] };
}

const action: Action = parse(await readFile(join(ROOT, 'action.yml'), 'utf8'));

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await removeFolder(folder);
});

/** Replaces the expressions of a text by their values, like a runner before running any of it. */
function expand(text: string, inputs: Record<string, string>): string {
  return text.replace(/\$\{\{ *([\w.-]+) *\}\}/g, (_, name: string) => {
    if (name === 'github.action_path') return ROOT;
    const input = /^inputs\.([\w-]+)$/.exec(name)?.[1];
    if (input === undefined) throw new Error(`no runner knows ${name}`);
    return inputs[input] ?? action.inputs[input]?.default ?? '';
  });
}

/** Runs the steps of action.yml like a runner: expressions first, then a bash script in the workspace. */
async function runAction(given: Record<string, string>, workspace: string) {
  const output = join(workspace, '..', 'output');
  const summary = join(workspace, '..', 'summary');
  await Promise.all([writeFile(output, ''), writeFile(summary, '')]);
  let [code, log] = [0, ''];
  for (const step of action.runs.steps) {
    expect(step.shell).toBe('bash');
    const script = join(workspace, '..', 'step.sh');
    await writeFile(script, expand(step.run, given));
    const env = {
      ...Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, expand(value, given)])),
      PATH: `${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}`,
      HOME: workspace,
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_ACTION_PATH: ROOT,
    };
    const flags = ['--noprofile', '--norc', '-eo', 'pipefail', script];
    [code, log] = await new Promise((resolve) =>
      execFile('bash', flags, { cwd: workspace, env }, (error, stdout, stderr) =>
        resolve([error ? Number(error.code) : 0, stdout + stderr]),
      ),
    );
    if (code !== 0) break;
  }
  const outputs = Object.fromEntries(
    [...(await readFile(output, 'utf8')).matchAll(/^(\w+)<<(\S+)\n([\s\S]*?)\n\2$/gm)].map((match) => [
      match[1],
      match[3],
    ]),
  );
  return { code, log, outputs, summary: await readFile(summary, 'utf8') };
}

async function prepare() {
  const { app, baseUrl } = await startConsoleServer();
  const person = await createTestPerson(app);
  const site = await createSite(person.context, { name: 'blog' });
  const credential = await credentialClient(baseUrl, person.context, [site.id]);
  const folder = await mkdtemp(join(tmpdir(), 'portage-action-'));
  folders.push(folder);
  const workspace = join(folder, 'workspace');
  await mkdir(join(workspace, 'dist'), { recursive: true });
  await writeFile(join(workspace, 'dist', 'index.html'), '<h1>1</h1>');
  const inputs = {
    url: baseUrl,
    'public-key': credential.publicKey,
    'secret-key': credential.secretKey,
    site: 'blog',
  };
  const versions = async () => listOf(await credential.client('GET', `/api/v1/sites/${site.id}/versions`));
  return { site, workspace, inputs, versions, secret: credential.secretKey };
}

describe('action.yml', () => {
  it('is a composite action whose inputs never become script text', () => {
    expect(action.runs.using).toBe('composite');
    for (const step of action.runs.steps) expect(step.run).not.toContain('${{');
    for (const input of Object.values(action.inputs)) expect(input.description).not.toBe('');
    expect(Object.keys(action.outputs).sort()).toEqual(['preview', 'url', 'version']);
  });

  it('deploys the folder, sets the addresses as outputs and in the summary, and masks the secret first', async () => {
    const { site, workspace, inputs, versions, secret } = await prepare();
    const { code, log, outputs, summary } = await runAction({ ...inputs, message: 'first' }, workspace);
    expect([code, log]).toEqual([0, expect.stringContaining('Deployed version 1: 1 added')]);
    const [version] = await versions();
    expect(version).toMatchObject({ number: 1, message: 'first', is_current: true });
    expect(outputs).toEqual({ url: site.subdomain_url, preview: version?.preview_url, version: '1' });
    expect(summary).toContain(`- Live: ${site.subdomain_url}`);
    expect(log.startsWith(`::add-mask::${secret}\n`)).toBe(true);
    expect(log.split(secret)).toHaveLength(2);
    expect(summary).not.toContain(secret);
  });

  it('creates a preview only on request', async () => {
    const { workspace, inputs, versions } = await prepare();
    const { code, outputs } = await runAction({ ...inputs, publish: 'false' }, workspace);
    expect([code, outputs.version]).toEqual([0, '1']);
    expect((await versions())[0]).toMatchObject({ is_current: false, sealed_at: expect.any(String) });
  });

  it('fails for anything but true and false, before anything is sent', async () => {
    const { workspace, inputs, versions } = await prepare();
    for (const publish of ['no', 'False', '0', 'off', 'true ', '--no-publish']) {
      const { code, log, outputs } = await runAction({ ...inputs, publish }, workspace);
      expect([publish, code, log]).toEqual([
        publish,
        2,
        expect.stringMatching(/^::error::The input publish must be true or false/m),
      ]);
      expect(outputs).toEqual({});
    }
    expect(await versions()).toEqual([]);
  });

  it('treats every input as a value, whatever it contains', async () => {
    const { workspace, inputs, versions } = await prepare();
    const hostile = [
      '"; touch pwned; "',
      '$(touch pwned)',
      '`touch pwned`',
      "'; touch pwned; '",
      'a\n::set-output name=url::evil\ntouch pwned',
      '--help',
    ];
    for (const message of hostile) {
      const { code, outputs, log } = await runAction({ ...inputs, message }, workspace);
      expect([message, code, log]).toEqual([message, 0, expect.stringContaining('Deployed version')]);
      expect(Object.keys(outputs).sort()).toEqual(['preview', 'url', 'version']);
    }
    expect((await versions()).map(({ message }) => message).reverse()).toEqual(hostile);
    for (const value of hostile) {
      for (const input of ['site', 'folder', 'url', 'public-key']) {
        const { code, log, outputs } = await runAction({ ...inputs, [input]: value }, workspace);
        expect([input, value, code > 0, log]).toEqual([
          input,
          value,
          true,
          expect.stringMatching(/^::error::/m),
        ]);
        expect(log).not.toMatch(/^::set-output/m);
        expect(outputs).toEqual({});
      }
    }
    expect((await readdir(workspace)).sort()).toEqual(['dist']);
  });

  it('fails the step with the reason', async () => {
    const { workspace, inputs } = await prepare();
    const wrong = await runAction({ ...inputs, 'secret-key': 'ptgsk_wrong' }, workspace);
    expect([wrong.code, wrong.log]).toEqual([
      3,
      expect.stringMatching(/^::error::.*unknown, expired or inactive/m),
    ]);
    expect(wrong.summary).toContain('The deploy failed');
    const fork = await runAction({ ...inputs, 'secret-key': '' }, workspace);
    expect([fork.code, fork.log]).toEqual([2, expect.stringMatching(/^::error::.*secret-key.*forks/m)]);
    const nowhere = await runAction({ ...inputs, url: 'http://127.0.0.1:1' }, workspace);
    expect(nowhere.code).toBe(5);
  });
});
