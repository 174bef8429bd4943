import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerDeployer, requireStatus } from '#tests/support/client/deploy-client.ts';
import { objectOf, restClient } from '#tests/support/client/rest-client.ts';
import { registerAndSignIn } from '#tests/support/client/sign-in.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { ensureDebianPackages } from '#tests/support/runner/debian-packages.ts';
import { startMachineCopy } from '#tests/support/server/machine-copy.ts';
import { programEnvironment } from '#tests/support/server/program-environment.ts';
import { runOperator } from '#tests/support/server/run-operator.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';
import { commandsRunBy, fencedBlocks } from '#tests/support/sources/documented-commands.ts';
import { makeBuckets } from '#tests/support/storage/s3-client.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SHELL = ['-euo', 'pipefail', '-c'];
const PAGE = 'hello from the documentation';
const UNKNOWN = 'Nothing here has this name.';
/** Commands that are only accepted by an installation in another state. */
const REFUSALS: Record<string, string> = {
  'account reset-second-factor ada@example.ca': 'Two-step sign-in is off.',
  'billing credit INVOICE 12.50 --reason TEXT': 'Invoice not found.',
  'billing refund INVOICE 12.50 --reason TEXT': 'Invoice not found.',
  'billing paid INVOICE': 'Invoice not found.',
  'billing repaid INVOICE': 'Invoice not found.',
  'billing resend INVOICE': 'This installation does not send email.',
  'billing link INVOICE': 'Invoice not found.',
  'billing void INVOICE': 'Invoice not found.',
  'certificates issue www.example.ca': 'Set it and validate again.',
  'client delete CLIENT_ID': UNKNOWN,
  'people create ada@example.ca --name "Ada Lovelace"': 'already exists',
  restart: 'DATA_DIR has no running supervisor.',
  'restore /mnt/backup': 'stop the server first.',
  'restore DIR': 'stop the server first.',
  'sites suspend blog --version ID --reason TEXT': 'Version not found.',
  'stuck retry collect-garbage': UNKNOWN,
  'token revoke ID': 'Credential not found.',
};
const execute = promisify(execFile);
const commands = commandsRunBy(import.meta.filename);
const textsOf = (kind: string) => commands.filter((command) => command.kind === kind).map(({ text }) => text);

let server: TestServer;
let folder: string;
let variables: Record<string, string>;
let certificatePort: string;
let bucketKeys: string;

beforeAll(async () => {
  ensureDebianPackages(['awscli', 'curl', 'git', 'jq', 'prometheus', 'rclone', 'restic', 's3cmd']);
  server = await startTestServer();
  folder = await mkdtemp(join(tmpdir(), 'documented-'));
  const deployer = await registerDeployer(server);
  const site = await deployer.createSite('blog');
  // A certificate from this installation's own authority: nothing needs to be set in the DNS.
  const endpoint = await site.client('POST', `${site.path}/endpoints`, {
    json: { hostname: 'docs.localhost' },
  });
  const bundle = objectOf(requireStatus(endpoint, 201)).bundle as { id: string };
  const [, publicKey = '', secretKey = ''] = /^Bearer ([^:]+):(.+)$/.exec(site.authorization) ?? [];
  const buckets = makeBuckets(server, deployer.person);
  const bucket = await buckets.createBucket('bucket');
  const { accessKeyId, secretAccessKey } = await buckets.createKeys([bucket.id]);
  bucketKeys = `AWS_ACCESS_KEY_ID=${accessKeyId} AWS_SECRET_ACCESS_KEY=${secretAccessKey}`;
  certificatePort = String(server.environment.EDGE_HTTPS_PORT);
  await site.deploy({ 'index.html': PAGE });
  const context = await deployer.person('GET', '/api/v1/organization/context');
  const { stdout } = await runOperator(
    ['token', 'create', '--name', 'documented', '--json'],
    server.environment,
  );
  variables = {
    ...programEnvironment(),
    HOME: folder,
    npm_config_prefer_offline: 'true',
    PORTAGE_URL: server.consoleUrl,
    PORTAGE_PUBLIC_KEY: publicKey,
    PORTAGE_SECRET_KEY: secretKey,
    PORTAGE_ORGANIZATION: String(objectOf(context).organization_id),
    PORTAGE_OPERATOR_TOKEN: JSON.parse(stdout).token,
    SITE: site.id,
    BUNDLE: bundle.id,
    PREVIEW: 'http://preview',
  };
  const ada = await registerAndSignIn(server.consoleUrl, { login: 'ada', email: 'ada@example.ca' });
  await registerAndSignIn(server.consoleUrl, { login: 'grace', email: 'grace@example.ca' });
  const asAda = restClient(server.consoleUrl, { cookie: ada.cookie, origin: server.consoleUrl });
  const rivers = await asAda('POST', '/api/v1/organizations', { json: { name: 'Rivers', handle: 'rivers' } });
  requireStatus(rivers, 201);
  await makeProject();
});
afterAll(async () => {
  await server?.close();
  await removeFolder(folder);
});

/** What people have in the folder in which they type: a project under git that builds `dist`, and files for a bucket. */
async function makeProject(): Promise<void> {
  await mkdir(join(folder, 'dist'));
  await mkdir(join(folder, 'folder'));
  await writeFile(join(folder, 'dist', 'index.html'), PAGE);
  await writeFile(join(folder, 'folder', 'one.txt'), 'one');
  await writeFile(join(folder, 'file'), 'a file');
  const project = { name: 'blog', version: '1.0.0', scripts: { build: 'test -f dist/index.html' } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(project));
  await writeFile(
    join(folder, 'package-lock.json'),
    JSON.stringify({ name: 'blog', version: '1.0.0', lockfileVersion: 3, packages: { '': project } }),
  );
  // An error response makes the command fail, even where the page omits the option.
  await writeFile(join(folder, '.curlrc'), 'fail-with-body\n');
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.ca'];
  await execute('git', ['init', '--quiet'], { cwd: folder });
  await execute('git', [...author, 'commit', '--quiet', '--allow-empty', '--message', 'a first page'], {
    cwd: folder,
  });
}

/** Types a command in that folder, with this installation's names, ports and keys in the place of those that the page shows. */
async function type(command: string, cwd = folder): Promise<string> {
  const typed = command
    .replaceAll(/PORTAGE_\w+=\S*… ?/g, '')
    .replaceAll('http://localhost:3000', server.consoleUrl)
    .replaceAll('https://console.example.ca', server.consoleUrl)
    .replace('AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…', bucketKeys)
    .replace('RESTIC_PASSWORD=…', 'RESTIC_PASSWORD=secret')
    .replaceAll('localhost:9000', `localhost:${server.s3Port}`)
    .replace('https://blog.sites.localhost:8443/', `https://blog.sites.localhost:${certificatePort}/`);
  const { stdout } = await execute('bash', [...SHELL, typed], { cwd, env: variables });
  return stdout;
}

const INSTALLS_TYPES = 'npm install https://console.example.ca/types.tgz';
const TRUSTS_ROOT = 'curl -o portage-root.pem';
const RELEASE = '/cli/RELEASE.tgz';
const isPlain = (text: string) => ![INSTALLS_TYPES, TRUSTS_ROOT].some((start) => text.startsWith(start));

describe('what the pages tell people to type', () => {
  // First, while the site has the page that it was given.
  it.each(textsOf('shell').filter((text) => text.startsWith(TRUSTS_ROOT)))('%s', async (command) => {
    const machine = await startMachineCopy({ network: 'shared', shows: [folder] });
    try {
      // Root needs no sudo, and the copy may have none.
      const typed = `cd ${folder}; sudo() { "$@"; }; ${command}`
        .replaceAll('https://console.example.ca', server.consoleUrl)
        .replaceAll(':8443/', `:${certificatePort}/`);
      expect(await machine.mustRun(typed)).toContain(PAGE);
      const trusted = `curl -sS https://blog.sites.localhost:${certificatePort}/`;
      expect(await machine.mustRun(trusted)).toBe(PAGE);
    } finally {
      await machine.close();
    }
  });

  it.each(textsOf('shell').filter(isPlain))('%s', async (command) => {
    if (command === 'curl --compressed') {
      expect(await type(`${command} --head "$PORTAGE_URL/api/v1/openapi.json"`)).toMatch(/content-encoding/i);
    } else if (command.includes(RELEASE)) {
      const head = await type('curl -sSI "$PORTAGE_URL/cli.tgz"');
      const [, release = ''] = /filename="portage-(.+)\.tgz"/.exec(head) ?? [];
      await type(command.replace(RELEASE, `/cli/${release}.tgz`));
    } else if (command.includes('docs/examples/')) {
      expect(await type(command, ROOT)).toContain('blog');
    } else if (command.startsWith('promtool')) {
      await type(command, join(ROOT, 'docs', 'monitoring'));
    } else {
      await type(command);
    }
  });

  it.each(textsOf('deploys'))('portage %s', async (command) => {
    const line = command.replace('FOLDER', './dist').replace('SITE', 'blog');
    await type(`npx --yes "$PORTAGE_URL/cli.tgz" ${line}`);
  });

  it.each(textsOf('shell').filter((text) => text.startsWith(INSTALLS_TYPES)))('%s', async (command) => {
    const tool = join(folder, 'tool');
    await mkdir(tool, { recursive: true });
    // The libraries of this checkout in the place of those of a registry: in one version of 11, as the page asks.
    const modules = join(ROOT, 'node_modules');
    await type(command.replace(/ (@trpc\/\w+|superjson)/g, ` ${modules}/$1`), tool);
    const page = await readFile(join(ROOT, 'docs', 'api.md'), 'utf8');
    const [example = ''] = fencedBlocks(page).flatMap(({ language, body }) =>
      language === 'ts' ? [body] : [],
    );
    await writeFile(join(tool, 'tool.mts'), example);
    const options = '--noEmit --strict --target es2022 --module nodenext --skipLibCheck --types node';
    const types = `--typeRoots ${modules}/@types`;
    await type(`${modules}/.bin/tsc ${options} ${types} tool.mts`, tool);
  });
});

describe('the operator’s commands', () => {
  // People are deleted last.
  const isLast = (line: string) => line.startsWith('people delete');
  const lines = [...new Set(textsOf('operator'))].sort((a, b) => Number(isLast(a)) - Number(isLast(b)));

  it('are many', () => {
    expect(lines.length).toBeGreaterThan(50);
  });

  it.each(lines)('%s', async (line) => {
    const written = line
      .replace(/\/mnt\/backup|DIR|(?<=^restore )(?=--check)/, `${join(folder, 'backup')} `)
      .replace('account reset-link EMAIL', 'account reset-link grace@example.ca')
      .replace('EMAIL --name NAME', 'new@example.ca --name New');
    const { stdout } = await execute('bash', ['-c', `printf '%s\\0' ${written}`]);
    const args = stdout.split('\0').slice(0, -1);
    // Nothing is billed here; a month can be looked at and run in the sandbox all the same.
    const mode = line.startsWith('billing') ? 'sandbox' : 'off';
    const { code, stderr } = await runOperator(args, { ...server.environment, BILLING_MODE: mode });
    const refusal = REFUSALS[line];
    expect({ code, stderr }).toEqual(
      refusal === undefined ? { code: 0, stderr: '' } : { code: 1, stderr: expect.stringContaining(refusal) },
    );
  });
});
