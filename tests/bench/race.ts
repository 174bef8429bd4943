import { loadWithHandshakes } from './ab-load.ts';
import { type BenchResult, median } from './bench-result.ts';
import { loadWithHttp2 } from './h2load.ts';
import { type Course, findProgram, type Load, loadWithWrk, type Target } from './wrk-load.ts';

/** The program that sends the requests of each scheme. */
const PROGRAMS = {
  http: { program: 'wrk', load: loadWithWrk },
  https: { program: 'wrk', load: loadWithWrk },
  handshakes: { program: 'ab', load: loadWithHandshakes },
  http2: { program: 'h2load', load: loadWithHttp2 },
};

/** One comparison. */
export interface LabelledCourse extends Course {
  readonly label: string;
  /** Of the peer's rate. */
  readonly target: number | null;
}

/**
 * Sends requests to a server and its peer in turns, so that a busy machine slows both, and returns rates and
 * processor time of each course. One whose program is not installed is skipped.
 */
export async function race(
  label: string,
  { own, peer, peerName = 'nginx' }: { own: Target; peer: Target | null; peerName?: string },
  courses: readonly LabelledCourse[],
  { rounds, secondsPerRound }: { rounds: number; secondsPerRound: number },
): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const course of courses) {
    const { program: name, load: send } = PROGRAMS[course.scheme];
    const program = findProgram(name);
    if (program === null) continue;
    const load = (target: Target, seconds: number) => send(program, target, course, seconds);
    const ownLoads: Load[] = [];
    const peerLoads: Load[] = [];
    await load(own, 1);
    if (peer !== null) await load(peer, 1);
    for (let round = 0; round < rounds; round += 1) {
      ownLoads.push(await load(own, secondsPerRound));
      if (peer !== null) peerLoads.push(await load(peer, secondsPerRound));
    }
    results.push(...compare(label, course, ownLoads, { name: peerName, loads: peerLoads }));
  }
  return results;
}

function compare(
  prefix: string,
  { label, target }: LabelledCourse,
  own: Load[],
  { name: peer, loads: peerLoads }: { name: string; loads: Load[] },
): BenchResult[] {
  const rate = median(own.map((sample) => sample.requestsPerSecond));
  const cost = median(own.map((sample) => sample.microsecondsPerRequest));
  const rates: BenchResult = { name: `${prefix} ${label}`, value: Math.round(rate), unit: 'requests/s' };
  const costs: BenchResult = {
    name: `${prefix} ${label}, processor time`,
    value: round2(cost),
    unit: 'µs/request',
  };
  if (peerLoads.length > 0) {
    const peerRate = median(peerLoads.map((sample) => sample.requestsPerSecond));
    const peerCost = median(peerLoads.map((sample) => sample.microsecondsPerRequest));
    const ratio = round2(
      median(own.map((sample, at) => sample.requestsPerSecond / (peerLoads[at]?.requestsPerSecond ?? 1))),
    );
    Object.assign(rates, {
      peer,
      peerValue: Math.round(peerRate),
      ratio,
      ...(target === null ? {} : { target: `>= ${target} of ${peer}` }),
    });
    Object.assign(costs, { peer, peerValue: round2(peerCost), ratio: round2(cost / peerCost) });
  }
  return [rates, costs];
}

function round2(value: number): number {
  return Math.round(value * 100) / 100;
}
