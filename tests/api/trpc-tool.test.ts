import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { createOperatorToken } from '#server/services/operator/create-operator-token.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { credentialClient } from '#tests/support/client/rest-client.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

const ROOT = process.cwd();
const EXAMPLE = join(ROOT, 'docs', 'examples', 'list-sites.ts');

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await removeFolder(folder);
});

interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs node in a separate process, with only the given environment. */
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

describe('the example of a tool that uses tRPC', () => {
  it('lists every organization and its sites with an operator token', async () => {
    const { app, run } = await prepare();
    const { token } = await createOperatorToken(operatorContext(app), { name: 'tool' });
    const { code, stdout, stderr } = await run({ PORTAGE_OPERATOR_TOKEN: token });
    expect([code, stderr]).toEqual([0, '']);
    for (const name of ['Ada blog', 'Ada shop', 'Ben blog']) expect(stdout).toContain(`  ${name}  http`);
  });

  it('lists what a credential can access', async () => {
    const { baseUrl, ada, blog, run } = await prepare();
    const { publicKey, secretKey } = await credentialClient(baseUrl, ada.context, [blog.id]);
    const keys = { PORTAGE_PUBLIC_KEY: publicKey, PORTAGE_SECRET_KEY: secretKey };
    const { code, stdout } = await run({ ...keys, PORTAGE_ORGANIZATION: ada.organization.id });
    expect(code).toBe(0);
    expect(stdout).toBe(`${ada.organization.id}\n  Ada blog  ${blog.subdomain_url}  never deployed\n`);
  });

  it('reports our code and the request when it is refused, and the cause when there is no response', async () => {
    const { run } = await prepare();
    const refused = await run({ PORTAGE_OPERATOR_TOKEN: 'ptgop_wrong' });
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(/^credential_invalid: .+ \(request [0-9a-z]{26}\)\n$/);
    const nobody = await run({ PORTAGE_URL: 'http://127.0.0.1:1', PORTAGE_OPERATOR_TOKEN: 'ptgop_x' });
    expect([nobody.code, nobody.stderr]).toEqual([1, 'fetch failed\n']);
  });
});

/**
 * Creates what `npm install {address}/types.tgz @trpc/client @trpc/server superjson` leaves in a tool's
 * folder.
 */
async function installInto(folder: string, baseUrl: string): Promise<void> {
  const modules = join(folder, 'node_modules');
  const archive = join(folder, 'types.tgz');
  const response = await fetch(`${baseUrl}/types.tgz`);
  expect(response.headers.get('content-disposition')).toMatch(
    /filename="portage-types-[\d.]+-[0-9a-f]{10}\.tgz"/,
  );
  await writeFile(archive, await response.bytes());
  await mkdir(join(modules, 'portage'), { recursive: true });
  await promisify(execFile)('tar', ['-xzf', archive, '-C', join(modules, 'portage'), '--strip-components=1']);
  for (const name of ['@trpc/client', '@trpc/server', '@types/node', 'superjson']) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
}

const COMPILER_OPTIONS = {
  'of a program for node': { module: 'NodeNext', target: 'ES2022', types: ['node'], strict: true },
  'of a bundler': { module: 'ESNext', moduleResolution: 'Bundler', target: 'ES2022', strict: true },
  'with exact optional properties and every declaration checked': {
    module: 'NodeNext',
    target: 'ES2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
  },
  'of a CommonJS program': { module: 'Node16', target: 'ES2022', strict: true, type: 'commonjs' },
};

async function preparedFolder(): Promise<string> {
  const { baseUrl } = await startConsoleServer();
  const folder = await mkdtemp(join(tmpdir(), 'portage-tool-'));
  folders.push(folder);
  await installInto(folder, baseUrl);
  return folder;
}

/** Returns the compiler's errors in a folder. */
async function findProblems(folder: string, options: Record<string, unknown>): Promise<string[]> {
  const { type = 'module', ...compilerOptions } = options;
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type }));
  const settings = {
    compilerOptions: { noEmit: true, skipLibCheck: true, ...compilerOptions },
    include: ['*.ts'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = await runNode([tsc, '-p', folder], {}, folder);
  // tRPC's own declarations do not compile without skipLibCheck.
  return stdout.split('\n').filter((line) => line.includes('error') && !line.includes('node_modules/@trpc/'));
}

const CALLS = `
import { createTRPCClient, httpBatchLink } from '@trpc/client';
import type { AppRouter, RouterInputs, RouterOutputs, ErrorCode } from 'portage/trpc';
import type { TRPCDataTransformer } from '@trpc/server';

declare const transformer: TRPCDataTransformer;
const client = createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: 'http://x/api/trpc', transformer })] });
const input: RouterInputs['sites']['create'] = { organization_id: 'o', name: 'blog' };
export const made: Promise<RouterOutputs['sites']['create']> = client.sites.create.mutate(input);
export const gone: Promise<void> = client.sites.delete.mutate({ organization_id: 'o', site_id: 's' });
export const code: ErrorCode = 'not_found';
export const url: Promise<string | null> = made.then((site) => site.FIELD);
`;

describe('a tool in another repository', () => {
  it.each(Object.entries(COMPILER_OPTIONS))(
    'has every procedure’s types with the settings %s',
    async (_, options) => {
      const folder = await preparedFolder();
      await writeFile(join(folder, 'right.ts'), CALLS.replace('FIELD', 'subdomain_url'));
      await writeFile(join(folder, 'wrong.ts'), CALLS.replace('FIELD', 'no_such_field'));
      const problems = await findProblems(folder, options);
      expect(problems, problems.join('\n')).toHaveLength(1);
      expect(problems[0]).toMatch(/^wrong\.ts.*Property 'no_such_field' does not exist/);
    },
  );

  it('has the types of the procedures, none wider and none missing', async () => {
    const folder = await preparedFolder();
    // Next to our own sources, so that both routers can be compared; the last line must fail.
    await writeFile(
      join(folder, 'compare.ts'),
      `
import type { inferRouterError } from '@trpc/server';
import type { AppRouter as Given, ErrorShape as GivenError, RouterInputs as GivenInputs, RouterOutputs as GivenOutputs } from './node_modules/portage/trpc.js';
import type { AppRouter, ErrorShape, RouterInputs, RouterOutputs } from '${join(ROOT, 'server/routers/client-types.ts')}';

type Equal<A, B> = (<T>() => T extends Flat<A> ? 1 : 2) extends <T>() => T extends Flat<B> ? 1 : 2 ? true : false;
type Flat<T> = T extends object ? { [K in keyof T]: Flat<T[K]> } : T;
export const checks: [true, true, true, true, true] = [
  {} as Equal<GivenInputs, RouterInputs>,
  {} as Equal<GivenOutputs, RouterOutputs>,
  {} as Equal<GivenError, ErrorShape>,
  {} as Equal<inferRouterError<Given>, inferRouterError<AppRouter>>,
  {} as Equal<GivenInputs, RouterOutputs>,
];
`,
    );
    const { compilerOptions }: { compilerOptions: Record<string, unknown> } = JSON.parse(
      await readFile(join(ROOT, 'tsconfig.json'), 'utf8'),
    );
    const { paths: _, baseUrl: __, ...own } = compilerOptions;
    const problems = await findProblems(folder, { ...own, types: ['node'] });
    expect(problems, problems.join('\n')).toHaveLength(1);
    expect(problems[0]).toMatch(/^compare\.ts\(13,3\).*Type 'false' is not assignable to type 'true'/);
  });
});
