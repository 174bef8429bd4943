import type { FuzzResult } from './run-rounds.ts';

/** What must hold under any attack. */
export const FUZZ_LIMITS = {
  blockedCpuMs: 100,
  /** In addition to the machine's own delay, as measured with an idle server. */
  visitorP99Ms: 100,
  /** All processes together, above what they held before. */
  memoryGrowthBytes: 600 * 1024 ** 2,
  /**
   * What may remain once the attack is over and garbage collected: full caches, and what the allocator keeps.
   */
  memoryLeftBytes: 250 * 1024 ** 2,
};

/** Returns a sentence for each violation. */
export function judge(result: FuzzResult, limits = FUZZ_LIMITS): string[] {
  const { memory, visitor, blockedCpuMs } = result;
  const grown = memory.mostBytes - memory.beforeBytes;
  const left = memory.afterBytes - memory.beforeBytes;
  return [
    ...(result.isAlive ? [] : ['a process ended']),
    ...(blockedCpuMs > limits.blockedCpuMs
      ? [`a loop was blocked for ${Math.round(blockedCpuMs)} ms, during ${result.blockedDuring.join(', ')}`]
      : []),
    ...(grown > limits.memoryGrowthBytes ? [`memory grew by ${toMebibytes(grown)} MiB`] : []),
    ...(left > limits.memoryLeftBytes ? [`${toMebibytes(left)} MiB of memory did not come back`] : []),
    ...(visitor.p99Ms > limits.visitorP99Ms + visitor.controlP99Ms
      ? [
          `the visitor's p99 was ${Math.round(visitor.p99Ms)} ms, beside ${Math.round(visitor.controlP99Ms)} ms`,
        ]
      : []),
    ...visitor.failures.slice(0, 5).map((failure) => `the visitor was refused: ${failure}`),
    ...result.faults,
  ];
}

/** Returns the measurements, one per line. */
export function describeResult({ rounds, blockedCpuMs, blockedWallMs, memory, visitor }: FuzzResult): string {
  return [
    `${rounds} rounds`,
    `longest block ${Math.round(blockedCpuMs)} ms of processor time, ${Math.round(blockedWallMs)} ms by the clock`,
    `memory ${toMebibytes(memory.beforeBytes)} MiB before, ${toMebibytes(memory.mostBytes)} at most, ${toMebibytes(memory.afterBytes)} after`,
    `visitor: ${visitor.visits} visits, p50 ${visitor.p50Ms.toFixed(1)} ms, p99 ${visitor.p99Ms.toFixed(1)} ms (an idle server beside it: ${visitor.controlP99Ms.toFixed(1)} ms)`,
  ].join('\n');
}

function toMebibytes(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}
