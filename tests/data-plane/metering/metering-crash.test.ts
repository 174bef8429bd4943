import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSteadyLoad } from '#tests/support/client/steady-load.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { startPostgres } from '#tests/support/runner/postgres-server.ts';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { type EdgeNode, startEdgeNode } from '#tests/support/server/edge-node.ts';
import { createMeteredWorld } from '#tests/support/usage/metered-sites.ts';
import { spoolFolder } from '#tests/support/usage/metering-world.ts';

const ROUNDS = 2;
/** Visitors switch hosts this often: a host's count shows which moment was counted, and how often. */
const TURN_MS = 300;
const TURNS_PER_ROUND = 12;
/** What a spool contains in addition to batches: the node's name and the disk space it reserves. */
const KEPT_IN_SPOOL: ReadonlySet<string> = new Set(['node-id', 'reserve']);
/** A crash comes at any moment between two writes to the disk. */
const CRASH_WITHIN_MS = 2_500;

let postgres: { url: string; stop(): Promise<void> };
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(['sqlite', 'postgres'])('an edge that is killed again and again, on %s', (engine) => {
  it('has counted everything that it wrote down, nothing twice, and never more than was requested', async () => {
    const random = seededRandom(engine === 'sqlite' ? 5 : 6);
    const folder = await spoolFolder();
    const world = await createMeteredWorld(folder, engine === 'postgres' ? postgres.url : undefined);
    const sites = await world.createSites(ROUNDS * TURNS_PER_ROUND);
    let node: EdgeNode | undefined;
    const begun = new Map<string, number>();
    const certain: string[] = [];
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        if (node) await node.start();
        else node = await startEdgeNode(join(folder, 'node'), world.environment);
        const hosts = sites.slice(round * TURNS_PER_ROUND, (round + 1) * TURNS_PER_ROUND);
        const [first] = hosts;
        if (!first) throw new Error('there are too few sites');
        const load = startSteadyLoad([node], first.host);
        let turn = 0;
        const turning = setInterval(() => {
          turn = Math.min(turn + 1, hosts.length - 1);
          load.turnTo(hosts[turn]?.host ?? '');
        }, TURN_MS);
        // Everything of the first turns is in the database; then the crash comes, and what was not written
        // yet is lost.
        const known = hosts.slice(0, 3);
        const isCounted = (counted: Map<string, number>) =>
          turn > known.length &&
          known.every(({ host }) => counted.get(host) === (load.asked.get(host)?.begun ?? Number.NaN));
        await pollUntil(() => world.countedByHost(known), isCounted, 1_200);
        certain.push(...known.map(({ host }) => host));
        await pass(random.below(CRASH_WITHIN_MS));
        await node.kill();
        clearInterval(turning);
        await load.stop();
        for (const [host, asked] of load.asked) begun.set(host, asked.begun);
      }
      await node?.start();
      // The sum is final once the stop has sent what the last run left.
      await pollUntil(
        () => readdir(join(folder, 'node', 'usage-spool')),
        (names) => names.every((name) => KEPT_IN_SPOOL.has(name)),
      );
      expect(await node?.stop()).toBe(0);
    } finally {
      await node?.kill();
    }
    const counted = await world.countedByHost(sites);
    for (const host of certain) expect(counted.get(host), host).toBe(begun.get(host));
    const overcounted = [...counted].filter(([host, requests]) => requests > (begun.get(host) ?? 0));
    expect(overcounted).toEqual([]);
    expect(node?.output()).not.toMatch(/"level":(50|60)/);
  });
});
