import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EdgeResponseRecord } from '#server/edge/ports.ts';
import { newId } from '#server/ids.ts';
import { UsageMeters } from '#server/metering/usage-meters.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { endProcess } from '#tests/support/server/end-process.ts';
import { type BenchResult, median } from './bench-result.ts';
import { readCounted } from './count-requests.ts';
import { startBenchEdge, writeBenchFiles } from './start-bench-edge.ts';
import { type Contender, findProgram, type Load, loadWithWrk } from './wrk-load.ts';

const COUNTS = 2_000_000;
const LOOPS = 9;
/** Files of a typical site. */
const PATHS = 100;
const files = [{ name: '1k.bin', bytes: 1024 }];
const course = { name: '1k.bin', scheme: 'http' } as const;

/**
 * The cost of counting: a call of the meter alone, and the edge with it compared with the edge without it.
 */
export async function benchMetering(rounds = 8, secondsPerRound = 1): Promise<BenchResult[]> {
  return [
    countResult('without its file', () => null),
    countResult('with its file', (at) => `/assets/page-${at % PATHS}.html`),
    ...(await benchEdgeMetering(rounds, secondsPerRound)),
  ];
}

function countResult(label: string, pathOf: (at: number) => string | null): BenchResult {
  const responses = Array.from({ length: 1_000 }, (_, at): EdgeResponseRecord => {
    const status = [200, 200, 200, 304, 404][at % 5] ?? 200;
    return { status, isCacheHit: at % 20 > 0, isRefused: false, path: pathOf(at) };
  });
  const meters = new UsageMeters();
  const meter = meters.meterOf({ organizationId: newId(), endpointId: newId(), siteId: newId() });
  const costs: number[] = [];
  let counted = 0;
  for (let loop = 0; loop < LOOPS; loop += 1) {
    const startedAt = performance.now();
    for (let round = 0; round < COUNTS / responses.length; round += 1) {
      for (const response of responses) meter.count(response, 1_300);
    }
    costs.push(((performance.now() - startedAt) * 1e6) / COUNTS);
    for (const row of meters.take({ withPaths: true })) counted += row.requests;
  }
  if (counted !== COUNTS * LOOPS) throw new Error(`${counted} were counted`);
  return { name: `counting a request ${label}`, value: median(costs), unit: 'ns' };
}

/**
 * The two edges take turns on the same core, each being first equally often, so that a busy machine slows
 * both. Empty without wrk.
 * @throws when the counted requests differ from those sent
 */
async function benchEdgeMetering(rounds: number, secondsPerRound: number): Promise<BenchResult[]> {
  const wrk = findProgram('wrk');
  if (wrk === null) return [];
  const folder = await mkdtemp(join(tmpdir(), 'metering-bench-'));
  const contenders: Contender[] = [];
  const counted: Load[] = [];
  const uncounted: Load[] = [];
  let warming = 0;
  try {
    await writeBenchFiles(folder, files);
    const database = join(folder, 'usage');
    await mkdir(database);
    const plain = await startBenchEdge(folder, files);
    contenders.push(plain);
    const metered = await startBenchEdge(folder, files, { EDGE_METERING_FOLDER: database });
    contenders.push(metered);
    await loadWithWrk(wrk, plain, course, 1);
    warming = (await loadWithWrk(wrk, metered, course, 1)).requests;
    for (let round = 0; round < rounds; round += 1) {
      const turns = [
        async () => uncounted.push(await loadWithWrk(wrk, plain, course, secondsPerRound)),
        async () => counted.push(await loadWithWrk(wrk, metered, course, secondsPerRound)),
      ];
      for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn();
    }
    await endProcess(metered.process, 'SIGTERM');
    await requireCounted(database, warming + sum(counted.map(({ requests }) => requests)), rounds + 1);
  } finally {
    for (const { process: child } of contenders) await endProcess(child, 'SIGTERM');
    await removeFolder(folder);
  }
  return compare(counted, uncounted);
}

/** wrk leaves up to 64 requests unread each time it ends; whatever it read was counted. */
async function requireCounted(database: string, sent: number, loads: number): Promise<void> {
  const { requests, bytes } = await readCounted(database);
  const isComplete = requests >= sent && requests <= sent + 64 * loads;
  if (!isComplete || bytes < requests * 1024) {
    throw new Error(`${requests} requests with ${bytes} bytes were counted, ${sent} were answered`);
  }
}

function compare(counted: readonly Load[], uncounted: readonly Load[]): BenchResult[] {
  const peer = 'not counting';
  const rate = ({ requestsPerSecond }: Load) => requestsPerSecond;
  const ratios = counted.map((load, at) => rate(load) / (uncounted[at]?.requestsPerSecond ?? 1));
  return [
    {
      name: 'edge 1 KiB, counting',
      value: Math.round(median(counted.map(rate))),
      unit: 'requests/s',
      peer,
      peerValue: Math.round(median(uncounted.map(rate))),
      ratio: round2(median(ratios)),
      target: '>= 0.97 of not counting',
    },
    {
      name: 'edge 1 KiB, counting, processor time',
      value: round2(costOf(counted)),
      unit: 'µs/request',
      peer,
      peerValue: round2(costOf(uncounted)),
      ratio: round2(costOf(counted) / costOf(uncounted)),
    },
  ];
}

/** Of all rounds together: the system reports processor time in hundredths of a second. */
function costOf(loads: readonly Load[]): number {
  const spent = sum(loads.map(({ requests, microsecondsPerRequest }) => requests * microsecondsPerRequest));
  return spent / sum(loads.map(({ requests }) => requests));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function round2(value: number): number {
  return Math.round(value * 100) / 100;
}

if (import.meta.main) {
  for (const { name, value, unit, peer, peerValue, ratio } of await benchMetering()) {
    const beside = peer ? `, ${peer} ${peerValue}, ratio ${ratio}` : '';
    process.stdout.write(`${name}: ${value.toFixed(1)} ${unit}${beside}\n`);
  }
}
