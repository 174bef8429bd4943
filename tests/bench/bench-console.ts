import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SignedInBrowser } from '#tests/support/client/sign-in.ts';
import { freePort } from '#tests/support/free-port.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { childProcesses } from '#tests/support/server/child-processes.ts';
import { endProcess } from '#tests/support/server/end-process.ts';
import type { TestServer } from '#tests/support/server/test-server.ts';
import { type BenchResult, percentile } from './bench-result.ts';
import { load } from './http-load.ts';
import { race } from './race.ts';
import type { Contender } from './wrk-load.ts';

const WARM_SECONDS = 3;
const SECONDS = 5;
const ROUNDS = { rounds: 4, secondsPerRound: 4 };
/** As many sites as a busy organization lists on its first page. */
const SITES = 50;

/** Returns the id of the organization the browser landed in. */
export function organizationOf(person: SignedInBrowser): string {
  return person.landedAt.split('/')[1] ?? '';
}

/**
 * Server rendering of the sites list, tRPC reads compared with a bare tRPC server, and API mutations with 50
 * clients.
 */
export async function benchConsole(server: TestServer, person: SignedInBrowser): Promise<BenchResult[]> {
  const organizationId = organizationOf(person);
  let siteId = '';
  for (let index = 0; index < SITES; index += 1) {
    const created = await person.browser.sendJson('POST', '/api/v1/sites', { name: `Bench site ${index}` });
    if (!created.ok) throw new Error(await created.text());
    siteId = ((await created.json()) as { id: string }).id;
  }
  const cookie = { cookie: person.cookie };

  const page = await load(
    { url: `${server.consoleUrl}/${organizationId}/sites`, headers: cookie },
    1,
    SECONDS,
  );
  let isFallback = false;
  const update = {
    url: `${server.consoleUrl}/api/trpc/sites.update`,
    method: 'POST',
    headers: { ...cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: () => {
      isFallback = !isFallback;
      return JSON.stringify({
        json: { organization_id: organizationId, site_id: siteId, spa_fallback: isFallback },
      });
    },
  };
  // The log of a new database grows for a while, which costs a sync more than writing over it.
  await load(update, 50, WARM_SECONDS);
  const writes = await load(update, 50, SECONDS);
  const failures = { page: page.failures, writes: writes.failures };
  if (Object.values(failures).some((count) => count > 0))
    throw new Error(`requests failed: ${JSON.stringify(failures)}`);
  return [
    {
      name: 'sites list, server render p95',
      value: percentile(page.latenciesMs, 0.95),
      unit: 'ms',
      target: '< 60 ms',
    },
    ...(await benchReads(server, person)),
    {
      name: 'API mutation p99, 50 clients',
      value: percentile(writes.latenciesMs, 0.99),
      unit: 'ms',
      target: '< 50 ms',
    },
  ];
}

/** The console's own reads compared with tRPC without anything that a console needs. */
async function benchReads(server: TestServer, person: SignedInBrowser): Promise<BenchResult[]> {
  const organization_id = organizationOf(person);
  const input = encodeURIComponent(JSON.stringify({ json: { organization_id, limit: 10 } }));
  const course = { scheme: 'http', headers: [`Cookie: ${person.cookie}`] } as const;
  const consoleId = childProcesses(server.processId()).get('console') ?? server.processId();
  const own = { port: server.consolePort, securePort: 0, workerIds: [consoleId], host: 'localhost' };
  const peer = await startBareTrpc();
  try {
    const beside = { own, peer, peerName: 'bare tRPC' };
    const me = { ...course, name: 'api/trpc/user.me', label: 'read user.me', target: 0.4 };
    const list = {
      ...course,
      name: `api/trpc/sites.list?input=${input}`,
      label: 'read sites.list (10 rows)',
    };
    return [
      ...(await race('tRPC', beside, [me], ROUNDS)),
      ...(await race('tRPC', { own, peer: null }, [{ ...list, target: null }], ROUNDS)),
    ];
  } finally {
    await endProcess(peer.process, 'SIGTERM');
    await removeFolder(peer.folder);
  }
}

async function startBareTrpc(): Promise<Contender & { folder: string }> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'portage-bare-'));
  const script = join(import.meta.dirname, 'bare-trpc-server.ts');
  const child = spawn(process.execPath, [script, String(port), join(folder, 'bare.sqlite')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  await once(child.stdout, 'data');
  return { port, securePort: 0, workerIds: [child.pid ?? 0], host: 'localhost', process: child, folder };
}
