import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '#db/client.ts';
import { migrateToLatest } from '#db/migrate.ts';
import { DAY_MS } from '#server/durations.ts';
import { formatDay } from '#server/services/usage/rules.ts';
import type { DeploySite } from '#tests/support/client/deploy-client.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { endProcess } from '#tests/support/server/end-process.ts';
import { organizationOf } from './bench-console.ts';
import { type BenchResult, percentile } from './bench-result.ts';
import { loadPaced } from './h2load.ts';
import { load } from './http-load.ts';
import { startNginx } from './nginx-peer.ts';
import { adoptUsage, DAYS, seedUsage } from './seed-usage.ts';
import { writeBenchFiles } from './start-bench-edge.ts';
import { startWholeProgram, type WholeProgram } from './whole-program.ts';
import { type Contender, findProgram } from './wrk-load.ts';

const FILE = { name: '1k.bin', bytes: 1024 };
const PER_SECOND = 200;
/** Long enough for forty requests above the p99. */
const SECONDS = 20;
/**
 * Code that runs often is compiled three times, at last after some 25,000 answers of a process; both serve more before. In rounds, each
 * with connections of its own: they may all be accepted by one process, and another would stay cold.
 */
const WARM_UP = { perSecond: 10_000, seconds: 2, rounds: 6 };
const HOURS = 10_000_000;
const SITES = 50;
const DEPLOYED_FILES = 1_000;
const DEPLOYED_FILE_BYTES = 20 * 1024;

/** Keeps the rest of the program at work until told to stop. */
type Work = (isOver: () => boolean) => Promise<unknown>;

/**
 * How visitors of a site are affected by the rest of the program: 200 requests per second at the edge for a
 * page of 1 KiB, and as many at nginx at the same time. Empty without h2load.
 */
export async function benchVisitors(hours = HOURS): Promise<BenchResult[]> {
  const h2load = findProgram('h2load');
  if (h2load === null) return [];
  const folder = await mkdtemp(join(tmpdir(), 'visitors-bench-'));
  let nginx: Contender | null = null;
  let program: WholeProgram | null = null;
  try {
    await writeBenchFiles(folder, [FILE]);
    const databaseUrl = `sqlite:${join(folder, 'portage.sqlite')}`;
    const world = await seed(databaseUrl, hours);
    program = await startWholeProgram(folder, [FILE.name], { DATABASE_URL: databaseUrl });
    const { deployer, server, target } = program;
    const organizationId = organizationOf(deployer.signedIn);
    await withDatabase(databaseUrl, (db) => adoptUsage(db, world, organizationId));
    nginx = await startNginx(folder, 'auto');
    const works = await planWorks(program, organizationId);
    const results: BenchResult[] = [];
    const pace = (logFile: string) => ({
      perSecond: PER_SECOND,
      seconds: SECONDS,
      logFile: join(folder, logFile),
    });
    for (let round = 0; round < WARM_UP.rounds; round += 1) {
      for (const warmed of [target, nginx]) {
        if (warmed !== null)
          await loadPaced(h2load, warmed, FILE.name, { ...WARM_UP, logFile: join(folder, 'warm.log') });
      }
    }
    for (const [name, work] of Object.entries(works)) {
      let isOver = false;
      const working = work(() => isOver);
      const [own, peer] = await Promise.all([
        loadPaced(h2load, target, FILE.name, pace('own.log')),
        nginx && loadPaced(h2load, nginx, FILE.name, pace('peer.log')),
      ]);
      isOver = true;
      await working;
      results.push(compare(`visitor, ${name}, p50`, own, peer, 0.5, 1.2));
      results.push(compare(`visitor, ${name}, p99`, own, peer, 0.99, 1.5));
    }
    await server.stop();
    return results;
  } finally {
    if (nginx !== null) await endProcess(nginx.process, 'SIGTERM');
    await program?.server.close();
    await removeFolder(folder);
  }
}

/** What the rest of the program does meanwhile. */
async function planWorks(
  { deployer, server }: WholeProgram,
  organizationId: string,
): Promise<Record<string, Work>> {
  for (let index = 0; index < SITES; index += 1) {
    const created = await deployer.person('POST', '/api/v1/sites', { json: { name: `Site ${index}` } });
    if (created.status !== 201) throw new Error(created.text);
  }
  const headers = { cookie: deployer.signedIn.cookie };
  const repeat =
    (path: string, clients: number): Work =>
    async () => {
      const { failures } = await load({ url: server.consoleUrl + path, headers }, clients, SECONDS);
      if (failures > 0) throw new Error(`${path} was not answered`);
    };
  const query = (input: object) =>
    encodeURIComponent(JSON.stringify({ json: { organization_id: organizationId, ...input } }));
  const now = Date.now();
  const days = { start_date: formatDay(now - (DAYS - 1) * DAY_MS), end_date: formatDay(now) };
  const site = await deployer.createSite('Deploys');
  return {
    'console idle': async () => undefined,
    'four browsers render': repeat(`/${organizationId}/sites`, 4),
    'twenty clients read': repeat(`/api/trpc/sites.list?input=${query({ limit: 10 })}`, 20),
    'statistics are read': repeat(`/api/trpc/usage.stats?input=${query(days)}`, 1),
    'a deploy of 1,000 files': (isOver) => deployUntil(site, isOver),
  };
}

async function deployUntil(site: DeploySite, isOver: () => boolean): Promise<void> {
  do {
    const files = Array.from({ length: DEPLOYED_FILES }, (_, index): [string, Buffer] => [
      `${index}.webp`,
      randomBytes(DEPLOYED_FILE_BYTES),
    ]);
    await site.deploy(Object.fromEntries(files));
  } while (!isOver());
}

function compare(
  name: string,
  own: readonly number[],
  peer: readonly number[] | null,
  share: number,
  target: number,
): BenchResult {
  const value = percentile(own, share);
  if (peer === null) return { name, value, unit: 'ms' };
  const peerValue = percentile(peer, share);
  const ratio = value / peerValue;
  return { name, value, unit: 'ms', peer: 'nginx', peerValue, ratio, target: `<= ${target} of nginx` };
}

async function seed(databaseUrl: string, hours: number) {
  return withDatabase(databaseUrl, async (db) => {
    await migrateToLatest(db);
    return seedUsage(db, Date.now(), hours);
  });
}

async function withDatabase<T>(
  url: string,
  work: (db: ReturnType<typeof openDatabase>) => Promise<T>,
): Promise<T> {
  const db = openDatabase(url);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

if (import.meta.main) {
  for (const { name, value, peerValue, ratio } of await benchVisitors(Number(process.argv[2] ?? HOURS))) {
    process.stdout.write(
      `${name}: ${value.toFixed(2)} ms, nginx ${peerValue?.toFixed(2)} ms, ratio ${ratio?.toFixed(2)}\n`,
    );
  }
}
