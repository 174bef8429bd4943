import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into the program before itself (`--import`): writes, to a file named after the process, how long its
 * event loop was blocked and how much memory it holds. A block is measured in processor time of the thread,
 * so that a busy machine is not mistaken for a busy loop.
 */
export interface LoopReport {
  /** Milliseconds since 1970. */
  at: number;
  /** Longest time between two turns since the last report, in processor time of this thread. */
  blockedCpuMs: number;
  /** The same in wall time. */
  blockedWallMs: number;
  rssBytes: number;
  /** Processor time since the start: of the loop's thread, and of all threads together. */
  loopCpuMs: number;
  processCpuMs: number;
  /** Whether garbage was collected right before. */
  isCollected: boolean;
}

const TICK_MS = 5;
const REPORT_MS = 200;
const folder = process.env.LOOP_MONITOR_FOLDER;

// Threads load it too, but only the main one serves requests.
if (folder !== undefined && isMainThread) {
  const file = join(folder, `${process.pid}.jsonl`);
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let lastCpu = cpuMs();
  let lastWall = performance.now();
  let blockedCpuMs = 0;
  let blockedWallMs = 0;
  let reportedAt = lastWall;

  const report = (isCollected: boolean) => {
    const { user, system } = process.cpuUsage();
    const line: LoopReport = {
      at: Date.now(),
      blockedCpuMs,
      blockedWallMs,
      rssBytes: process.memoryUsage.rss(),
      loopCpuMs: cpuMs(),
      processCpuMs: (user + system) / 1000,
      isCollected,
    };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
    blockedCpuMs = 0;
    blockedWallMs = 0;
    // The cost of the report itself does not count as a block.
    lastCpu = cpuMs();
    lastWall = performance.now();
    reportedAt = lastWall;
  };

  setInterval(() => {
    const cpu = cpuMs();
    const wall = performance.now();
    blockedCpuMs = Math.max(blockedCpuMs, cpu - lastCpu);
    blockedWallMs = Math.max(blockedWallMs, wall - lastWall);
    lastCpu = cpu;
    lastWall = wall;
    if (wall - reportedAt >= REPORT_MS) report(false);
  }, TICK_MS).unref();

  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => {
    collect();
    report(true);
  });
}
