import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '#db/client.ts';
import { newId } from '#server/ids.ts';
import type { BenchResult } from './bench-result.ts';
import { race } from './race.ts';
import { writeBenchFiles } from './start-bench-edge.ts';
import { startWholeProgram, type WholeProgram } from './whole-program.ts';

const FILE = { name: '1k.bin', bytes: 1024 };
const COURSE = {
  label: 'with a spending limit, 1 KiB',
  name: FILE.name,
  scheme: 'http',
  headers: [],
} as const;

/**
 * What the edges of the whole program serve for an organization with a limit, compared with another program
 * without one.
 */
export async function benchLimit(rounds = 6, secondsPerRound = 2): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'limit-bench-'));
  const programs: WholeProgram[] = [];
  try {
    await writeBenchFiles(folder, [FILE]);
    for (const isLimited of [true, false]) {
      const program = await startWholeProgram(folder, [FILE.name]);
      programs.push(program);
      if (isLimited) await setLimit(program);
    }
    const [limited, free] = programs;
    if (!limited || !free) return [];
    const pair = { own: limited.target, peer: free.target, peerName: 'without' };
    return await race('edges', pair, [{ ...COURSE, target: 0.97 }], { rounds, secondsPerRound });
  } finally {
    for (const { server } of programs) await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Gives the owner of the site a limit that is never reached, and lets the edges know that billing is on. */
async function setLimit({ server }: WholeProgram): Promise<void> {
  const db = openDatabase(`sqlite:${join(server.dataDir, 'portage.sqlite')}`);
  try {
    const { organization_id } = await db
      .selectFrom('sites')
      .select('organization_id')
      .executeTakeFirstOrThrow();
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
