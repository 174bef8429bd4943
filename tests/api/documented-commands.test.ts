import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureDebianPackages } from '#tests/support/debian-packages.ts';
import { registerDeployer, requireStatus } from '#tests/support/deploy-client.ts';
import { programEnvironment } from '#tests/support/program-environment.ts';
import { restClient } from '#tests/support/rest-client.ts';
import { runOperator } from '#tests/support/run-operator.ts';
import { registerAndSignIn } from '#tests/support/sign-in.ts';
import { startTestServer, type TestServer } from '#tests/support/test-server.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SHELL = ['-euo', 'pipefail', '-c'];
/** Commands that are only accepted by an installation in another state. */
const REFUSALS: Record<string, string> = {
  'people create ada@example.ca --name "Ada Lovelace"': 'is taken',
  'stuck retry collect-garbage': 'Nothing here has this name.',
  'restore /mnt/backup': 'Restore into an empty installation.',
  'account reset-second-factor ada@example.ca': 'Two-step sign-in is off.',
  'client delete CLIENT_ID': 'Nothing here has this name.',
};
const execute = promisify(execFile);

let server: TestServer;
let folder: string;
let variables: Record<string, string>;

beforeAll(async () => {
  ensureDebianPackages(['curl', 'jq']);
  server = await startTestServer();
  folder = await mkdtemp(join(tmpdir(), 'documented-'));
  await mkdir(join(folder, 'dist'));
  await writeFile(join(folder, 'dist', 'index.html'), 'hello from the documentation');
  const deployer = await registerDeployer(server);
  const site = await deployer.createSite('blog');
  // A certificate from this installation's own authority: nothing needs to be set in the DNS.
  const endpoint = await site.client('POST', `${site.path}/endpoints`, {
    json: { hostname: 'docs.localhost' },
  });
  const { bundle } = JSON.parse(requireStatus(endpoint, 201).text);
  const [, publicKey = '', secretKey = ''] = /^Bearer ([^:]+):(.+)$/.exec(site.authorization) ?? [];
  variables = {
    ...programEnvironment(),
    HOME: folder,
    PORTAGE_URL: server.consoleUrl,
    PORTAGE_PUBLIC_KEY: publicKey,
    PORTAGE_SECRET_KEY: secretKey,
    SITE: site.id,
    BUNDLE: bundle.id,
  };
  const ada = await registerAndSignIn(server.consoleUrl, { login: 'ada', email: 'ada@example.ca' });
  await registerAndSignIn(server.consoleUrl, { login: 'grace', email: 'grace@example.ca' });
  const asAda = restClient(server.consoleUrl, { cookie: ada.cookie, origin: server.consoleUrl });
  const rivers = await asAda('POST', '/api/v1/organizations', { json: { name: 'Rivers', handle: 'rivers' } });
  requireStatus(rivers, 201);
  // An error response makes the command fail, even where the page omits the option.
  await writeFile(join(folder, '.curlrc'), 'fail-with-body\n');
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each(['docs/deploying.md', 'docs/api.md'])('the commands of %s', async (page) => {
  const blocks = indentedBlocks(await readPage(page)).filter((block) => /^(?!export|GET )/.test(block));

  it.each(blocks)('%s', async (block) => {
    const command = block.replace('/cli/RELEASE.tgz', '/cli.tgz');
    await execute('bash', [...SHELL, command], { cwd: folder, env: variables });
  });
});

describe('the operator’s commands', async () => {
  const pages = ['docs/installing.md', 'docs/operating.md', 'docs/upgrading.md', 'docs/billing.md'];
  const text = (await Promise.all(pages.map(readPage))).join('\n');
  const lines = new Set(
    Array.from(text.matchAll(/^npm run (?:--silent )?operator -- (.*)$/gm), ([, line = '']) => line),
  );

  it('are many', () => {
    expect(lines.size).toBeGreaterThan(30);
  });

  // People are deleted last.
  const isLast = (line: string) => line.startsWith('people delete');
  const inOrder = [...lines].sort((a, b) => Number(isLast(a)) - Number(isLast(b)));

  it.each(inOrder)('%s', async (line) => {
    const written = line.replace('/mnt/backup', join(folder, 'backup'));
    const { stdout } = await execute('bash', ['-c', `printf '%s\\0' ${written}`]);
    const args = stdout.split('\0').slice(0, -1);
    const { code, stderr } = await runOperator(args, server.environment);
    const refusal = REFUSALS[line];
    expect({ code, stderr }).toEqual(
      refusal === undefined ? { code: 0, stderr: '' } : { code: 1, stderr: expect.stringContaining(refusal) },
    );
  });
});

async function readPage(page: string): Promise<string> {
  return readFile(join(ROOT, page), 'utf8');
}

/** Indented by four spaces after an empty line: what these pages offer for pasting into a shell. */
function indentedBlocks(page: string): string[] {
  return Array.from(page.matchAll(/(?<=\n\n)(?: {4}.*\n)+/g), ([block]) =>
    block.replaceAll(/^ {4}/gm, '').trim(),
  );
}
