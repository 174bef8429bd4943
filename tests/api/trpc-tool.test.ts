import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createOperatorToken } from '#server/services/operator/create-operator-token.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { startConsoleServer } from '#tests/support/console-server.ts';
import { operatorContext } from '#tests/support/operator-context.ts';
import { credentialClient } from '#tests/support/rest-client.ts';
import { createTestPerson } from '#tests/support/sign-in.ts';

const ROOT = process.cwd();
const EXAMPLE = join(ROOT, 'docs', 'examples', 'list-sites.ts');

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs node in a process of its own, with nothing in the environment but what is given. */
function runNode(args: string[], environment: Record<string, string>, cwd = ROOT): Promise<Run> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH, ...environment };
    execFile(process.execPath, args, { env, cwd }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

async function prepare() {
  const { app, baseUrl } = await startConsoleServer();
  const [ada, ben] = [await createTestPerson(app), await createTestPerson(app)];
  const blog = await createSite(ada.context, { name: 'Ada blog' });
  await createSite(ada.context, { name: 'Ada shop' });
  await createSite(ben.context, { name: 'Ben blog' });
  const run = (environment: Record<string, string>) =>
    runNode([EXAMPLE], { PORTAGE_URL: baseUrl, ...environment });
  return { app, baseUrl, ada, blog, run };
}

describe('the example of a tool that speaks tRPC', () => {
  it('lists every organization and its sites with an operator token', async () => {
    const { app, run } = await prepare();
    const { token } = await createOperatorToken(operatorContext(app), { name: 'tool' });
    const { code, stdout, stderr } = await run({ PORTAGE_OPERATOR_TOKEN: token });
    expect([code, stderr]).toEqual([0, '']);
    for (const name of ['Ada blog', 'Ada shop', 'Ben blog']) expect(stdout).toContain(`  ${name}  http`);
  });

  it('lists what a credential reaches', async () => {
    const { baseUrl, ada, blog, run } = await prepare();
    const { publicKey, secretKey } = await credentialClient(baseUrl, ada.context, [blog.id]);
    const keys = { PORTAGE_PUBLIC_KEY: publicKey, PORTAGE_SECRET_KEY: secretKey };
    const { code, stdout } = await run({ ...keys, PORTAGE_ORGANIZATION: ada.organization.id });
    expect(code).toBe(0);
    expect(stdout).toBe(`${ada.organization.id}\n  Ada blog  ${blog.subdomain_url}  never deployed\n`);
  });

  it('says our code and the request when it is refused, and what happened when nobody answers', async () => {
    const { run } = await prepare();
    const refused = await run({ PORTAGE_OPERATOR_TOKEN: 'ptgop_wrong' });
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(/^credential_invalid: .+ \(request [0-9a-z]{26}\)\n$/);
    const nobody = await run({ PORTAGE_URL: 'http://127.0.0.1:1', PORTAGE_OPERATOR_TOKEN: 'ptgop_x' });
    expect([nobody.code, nobody.stderr]).toEqual([1, 'fetch failed\n']);
  });
});

/** Lays this repository out as npm installs it for somebody else: its sources, and no package that only we develop with. */
async function installInto(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules');
  const own = join(modules, 'portage');
  for (const each of ['server', 'db', 'package.json']) {
    await cp(join(ROOT, each), join(own, each), { recursive: true });
  }
  const { devDependencies }: { devDependencies: Record<string, string> } = JSON.parse(
    await readFile(join(ROOT, 'package.json'), 'utf8'),
  );
  for (const name of await listPackages(join(ROOT, 'node_modules'))) {
    if (name in devDependencies) continue;
    const link = join(own, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), link);
  }
  for (const name of ['@trpc/client', '@trpc/server', '@types/node', 'superjson']) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
}

async function listPackages(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.'));
  const nested = names.map(async (name) =>
    name.startsWith('@') ? (await readdir(join(folder, name))).map((inner) => `${name}/${inner}`) : [name],
  );
  return (await Promise.all(nested)).flat();
}

describe('a tool in another repository', () => {
  it('has every procedure’s types from portage/trpc with the settings of docs/api.md', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portage-tool-'));
    folders.push(folder);
    await installInto(folder);
    const documentation = await readFile(join(ROOT, 'docs', 'api.md'), 'utf8');
    const settings = /```json tsconfig\n([\s\S]*?)```/.exec(documentation)?.[1];
    if (settings === undefined) throw new Error('docs/api.md has no tsconfig');
    await writeFile(join(folder, 'tsconfig.json'), settings);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await cp(EXAMPLE, join(folder, 'tool.ts'));
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const source = await readFile(EXAMPLE, 'utf8');
    await writeFile(join(folder, 'wrong.ts'), source.replace('site.subdomain_url', 'site.no_such_field'));
    const { stdout } = await runNode([tsc, '-p', folder], {}, folder);
    const problems = stdout.split('\n').filter((line) => line.includes('error'));
    expect(problems, stdout).toHaveLength(1);
    expect(problems[0]).toMatch(/^wrong\.ts.*Property 'no_such_field' does not exist/);
  });
});
