import { seededRandom } from '#tests/support/seeded-random.ts';
import { deploys } from './attacks/deploys.ts';
import { httpBytes } from './attacks/http-bytes.ts';
import { http2Frames } from './attacks/http2-frames.ts';
import { names } from './attacks/names.ts';
import { routes } from './attacks/routes.ts';
import { slowClients } from './attacks/slow-clients.ts';
import type { FuzzAttack } from './fuzz-attack.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { startVisitor, type VisitorFigures } from './visitor.ts';

export const ATTACKS: readonly FuzzAttack[] = [httpBytes, http2Frames, routes, deploys, names, slowClients];

/** How many rounds run at once. */
const CONCURRENCY = 6;
/** Time to close what is left over, before memory is measured. */
const REST_MS = 6_000;

export interface FuzzPlan {
  seed: number;
  /** Rounds to run, or for how long. */
  until: { rounds: number } | { endsAt: number };
  attacks: readonly FuzzAttack[];
}

export interface FuzzResult {
  rounds: number;
  faults: string[];
  isAlive: boolean;
  /**
   * Longest block of a loop, in processor time of its thread; `blockedAt` tells which rounds were running.
   */
  blockedCpuMs: number;
  blockedWallMs: number;
  blockedDuring: string[];
  memory: { beforeBytes: number; mostBytes: number; afterBytes: number };
  visitor: VisitorFigures;
}

interface Underway {
  name: string;
  startedAt: number;
  endedAt: number;
}

/**
 * Attacks a running program in rounds determined by one seed, next to a visitor, and returns the
 * observations.
 */
export async function runRounds(target: FuzzTarget, plan: FuzzPlan): Promise<FuzzResult> {
  const { server, watch } = target;
  const beforeBytes = await watch.collectedBytes();
  const stopVisitor = await startVisitor(server.edgePort, target.host, '/');
  const startedAt = Date.now();
  const rounds: Underway[] = [];
  let next = 0;
  const isOver = () => ('rounds' in plan.until ? next >= plan.until.rounds : Date.now() >= plan.until.endsAt);
  const worker = async () => {
    while (!isOver()) {
      const index = next;
      next += 1;
      const attack = plan.attacks[index % plan.attacks.length];
      if (!attack) return;
      const round = { name: `${attack.name} ${index}`, startedAt: Date.now(), endedAt: 0 };
      rounds.push(round);
      await runRound(target, attack, plan.seed, index);
      round.endedAt = Date.now();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  const visitor = await stopVisitor();
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  const isAlive = await watch.areAllAlive();
  const afterBytes = isAlive ? await watch.collectedBytes() : 0;

  const reports = await watch.reportsSince(startedAt);
  const worst = reports.reduce((most, report) => (report.blockedCpuMs > most.blockedCpuMs ? report : most), {
    at: 0,
    blockedCpuMs: 0,
  });
  return {
    rounds: rounds.length,
    faults: [...target.faults, ...loggedErrors(server.output())],
    isAlive,
    blockedCpuMs: worst.blockedCpuMs,
    blockedWallMs: Math.max(0, ...reports.map((report) => report.blockedWallMs)),
    blockedDuring: rounds
      .filter((round) => round.startedAt <= worst.at && round.endedAt >= worst.at - 1_000)
      .map((round) => round.name),
    memory: { beforeBytes, mostBytes: Math.max(0, ...reports.map((report) => report.rssBytes)), afterBytes },
    visitor,
  };
}

/** Runs one round; the same seed and index do the same. */
export async function runRound(
  target: FuzzTarget,
  attack: FuzzAttack,
  seed: number,
  index: number,
): Promise<void> {
  // Adjacent seeds of a linear congruence are similar at first.
  const random = seededRandom(Math.imul(seed, 2_654_435_761) ^ Math.imul(index + 1, 40_503));
  for (let turn = 0; turn < 8; turn += 1) random.next();
  await attack
    .round(target, random)
    .catch((error: unknown) => target.report(`${attack.name} ${index} could not go on: ${String(error)}`));
}

/** Unexpected failures are logged as errors. */
function loggedErrors(output: string): string[] {
  const ERROR_LEVEL = 50;
  return output.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return line.includes('Error') ? [line] : [];
    const { level } = JSON.parse(line) as { level: number };
    return level >= ERROR_LEVEL ? [`logged: ${line.slice(0, 1500)}`] : [];
  });
}
