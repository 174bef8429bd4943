import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '#db/client.ts';
import { newId } from '#server/ids.ts';
import { registerDeployer } from '#tests/support/client/deploy-client.ts';
import { homeOf } from '#tests/support/client/sign-in.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { type BenchResult, median, percentile } from './bench-result.ts';
import { writeBenchFiles } from './start-bench-edge.ts';
import { startWholeProgram, type WholeProgram } from './whole-program.ts';
import { findProgram, loadWithWrk, type Target } from './wrk-load.ts';

const FILE = { name: '1k.bin', bytes: 1024 };
const COURSE = { name: FILE.name, scheme: 'http' } as const;
/** Edges look at what was spent every five seconds. */
const NOTICED_MS = 6_000;

/**
 * What a spending limit costs each request: processor time of the same edges for a site whose owner has a limit and for one whose
 * owner has none, in pairs of short turns, so that whatever else the machine does falls on both. The two of a pair change places.
 */
export async function benchLimit(pairs = 40): Promise<BenchResult[]> {
  const wrk = findProgram('wrk');
  if (wrk === null) return [];
  const folder = await mkdtemp(join(tmpdir(), 'limit-bench-'));
  let program: WholeProgram | null = null;
  try {
    await writeBenchFiles(folder, [FILE]);
    program = await startWholeProgram(folder, [FILE.name]);
    const free = await addCustomer(program, await readFile(join(folder, FILE.name)));
    await setLimit(program);
    await new Promise((resolve) => setTimeout(resolve, NOTICED_MS));
    const limited = program.target;
    const costOf = async (target: Target) =>
      (await loadWithWrk(wrk, target, COURSE, 1)).microsecondsPerRequest;
    for (const target of [limited, free, limited, free]) await costOf(target);
    const costs: { limited: number; free: number }[] = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      const turns = pair % 2 === 0 ? [limited, free] : [free, limited];
      const [first = 0, second = 0] = [await costOf(turns[0] ?? free), await costOf(turns[1] ?? free)];
      costs.push(pair % 2 === 0 ? { limited: first, free: second } : { limited: second, free: first });
    }
    return describe(costs);
  } finally {
    await program?.server.close();
    await removeFolder(folder);
  }
}

function describe(costs: readonly { limited: number; free: number }[]): BenchResult[] {
  const differences = costs.map(({ limited, free }) => limited - free);
  const [low, high] = intervalOfMedian(differences);
  const value = median(costs.map(({ limited }) => limited));
  const peerValue = median(costs.map(({ free }) => free));
  return [
    {
      name: `edges with a spending limit, 1 KiB, processor time of a request (${costs.length} pairs)`,
      value,
      unit: 'µs',
      peer: 'without',
      peerValue,
      ratio: median(costs.map(({ limited, free }) => limited / free)),
      target: '<= 1.02 of without',
    },
    {
      name: `the difference lies between ${low.toFixed(2)} and ${high.toFixed(2)} µs (95 %), median`,
      value: median(differences),
      unit: 'µs',
    },
  ];
}

/** Between which two samples the true median lies, 95 times of a hundred: by their order, whatever their distribution. */
function intervalOfMedian(samples: readonly number[]): [number, number] {
  const half = 0.98 / Math.sqrt(samples.length);
  return [percentile(samples, 0.5 - half), percentile(samples, 0.5 + half)];
}

/** Adds a site of somebody else with the same file. Returns how it is asked. */
async function addCustomer({ server, target }: WholeProgram, content: Buffer): Promise<Target> {
  const deployer = await registerDeployer(server);
  const site = await deployer.createSite('Other');
  await site.deploy({ [FILE.name]: content });
  return { ...target, host: site.host };
}

/** Gives the owner of the first site a limit that nobody reaches, and lets the edges know that money is counted. */
async function setLimit({ server, deployer }: WholeProgram): Promise<void> {
  const db = openDatabase(`sqlite:${join(server.dataDir, 'portage.sqlite')}`);
  try {
    const organization_id = homeOf(deployer.signedIn);
    const now = Date.now();
    await db
      .insertInto('installation_values')
      .values({ name: 'billing_mode', value: 'sandbox', created_at: now })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: 'sandbox' }))
      .execute();
    await db
      .insertInto('spending_limits')
      .values({
        ...{ id: newId(now), organization_id, mode: 'sandbox', scope: 'organization' },
        ...{ resource_id: organization_id, amount_cents: 100_000_000, action: 'stop', spent_cents: 0 },
        ...{ set_year: 2026, set_month: 1, created_at: now, updated_at: now },
      })
      .execute();
  } finally {
    await db.destroy();
  }
}
