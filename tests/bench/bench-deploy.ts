import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SignedInBrowser } from '#tests/support/client/sign-in.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import type { TestServer } from '#tests/support/server/test-server.ts';
import type { BenchResult } from './bench-result.ts';

const run = promisify(execFile);
const FILES = 1000;
const FILE_BYTES = 20 * 1024;

/**
 * Deploys 1,000 files (20 MB) with the command line, deploys them again unchanged, and times a publish to the
 * edge.
 */
export async function benchDeploy(server: TestServer, person: SignedInBrowser): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portage-bench-'));
  try {
    await writeSite(folder);
    const site = await createSite(person, 'Bench deploy');
    const environment = {
      ...process.env,
      ...(await createCredential(person, site.id)),
      PORTAGE_URL: server.consoleUrl,
    };
    const deploy = async () => {
      const startedAt = performance.now();
      await run(process.execPath, ['cli/portage.mjs', 'deploy', folder, '--site', site.id, '--json'], {
        env: environment,
      });
      return performance.now() - startedAt;
    };
    const first = await deploy();
    const again = await deploy();
    const visible = await timePublish(server, folder, site.subdomain, deploy);
    return [
      { name: 'deploy of 1,000 files (20 MB), end to end', value: first, unit: 'ms', target: '< 3,000 ms' },
      { name: 'unchanged redeploy of 1,000 files', value: again, unit: 'ms', target: '< 500 ms' },
      {
        name: 'answer of the seal to the new bytes at the edge',
        value: visible,
        unit: 'ms',
        target: '< 1,000 ms',
      },
    ];
  } finally {
    await removeFolder(folder);
  }
}

/** Half text that compresses like pages, half bytes that do not. */
async function writeSite(folder: string): Promise<void> {
  await mkdir(join(folder, 'files'), { recursive: true });
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>bench</title>');
  for (let index = 0; index < FILES - 1; index += 1) {
    const isText = index % 2 === 0;
    const line = `<p>${randomBytes(24).toString('hex')} is a paragraph of an ordinary page.</p>\n`;
    const content = isText
      ? line.repeat(Math.ceil(FILE_BYTES / line.length)).slice(0, FILE_BYTES)
      : randomBytes(FILE_BYTES);
    await writeFile(join(folder, 'files', `${index}.${isText ? 'html' : 'webp'}`), content);
  }
}

async function createSite(person: SignedInBrowser, name: string): Promise<{ id: string; subdomain: string }> {
  const response = await person.browser.sendJson('POST', '/api/v1/sites', { name });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as { id: string; subdomain: string };
}

async function createCredential(person: SignedInBrowser, siteId: string): Promise<Record<string, string>> {
  const response = await person.browser.sendJson('POST', '/api/v1/credentials', {
    name: 'bench',
    scopes: [{ resource_type: 'site', resource_id: siteId, permissions: ['read', 'write'] }],
  });
  if (!response.ok) throw new Error(await response.text());
  const created = (await response.json()) as { credential: { public_key: string }; secret_key: string };
  return { PORTAGE_PUBLIC_KEY: created.credential.public_key, PORTAGE_SECRET_KEY: created.secret_key };
}

/** Milliseconds from the end of a deploy until the edge serves its bytes. */
async function timePublish(
  server: TestServer,
  folder: string,
  subdomain: string,
  deploy: () => Promise<number>,
): Promise<number> {
  const host = `${subdomain}.sites.localhost`;
  const mark = randomBytes(8).toString('hex');
  await server.edge(host, '/');
  await writeFile(join(folder, 'index.html'), `<!doctype html><title>${mark}</title>`);
  await deploy();
  const startedAt = performance.now();
  for (;;) {
    const response = await server.edge(host, '/');
    if (response.text.includes(mark)) return performance.now() - startedAt;
    if (performance.now() - startedAt > 30_000) throw new Error('the edge never showed the new version');
  }
}
