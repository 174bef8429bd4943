import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pollUntil } from '#tests/support/poll-until.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import type { LoopReport } from './loop-monitor.ts';

/** What the processes of a running program report about their loops and their memory. */
export interface ProcessWatch {
  /** Environment for the program: it loads the monitor before itself. */
  environment: Record<string, string>;
  /** Every report since a moment, of all processes together. */
  reportsSince(at: number): Promise<(LoopReport & { pid: number })[]>;
  /** Makes every process collect its garbage and returns how much they hold together. */
  collectedBytes(): Promise<number>;
  /** Whether every process that ever reported is still running. */
  areAllAlive(): Promise<boolean>;
  close(): Promise<void>;
}

/** Prepares to watch a program that is started with {@link ProcessWatch.environment}. */
export async function watchProcesses(): Promise<ProcessWatch> {
  const folder = await mkdtemp(join(tmpdir(), 'portage-loops-'));
  const monitor = join(import.meta.dirname, 'loop-monitor.ts');
  const pids = async () => (await readdir(folder)).map((name) => Number.parseInt(name, 10));
  const reportsOf = async (pid: number) => {
    const text = await readFile(join(folder, `${pid}.jsonl`), 'utf8');
    const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
    return lines.filter((line) => line !== '').map((line) => ({ pid, ...(JSON.parse(line) as LoopReport) }));
  };
  const reportsSince = async (at: number) =>
    (await Promise.all((await pids()).map(reportsOf))).flat().filter((report) => report.at >= at);
  return {
    environment: { NODE_OPTIONS: `--import=${monitor}`, LOOP_MONITOR_FOLDER: folder },
    reportsSince,
    async collectedBytes() {
      const asked = Date.now();
      const running = await pids();
      for (const pid of running) process.kill(pid, 'SIGUSR2');
      const collected = await pollUntil(
        async () => (await reportsSince(asked)).filter(({ isCollected }) => isCollected),
        (reports) => reports.length >= running.length,
      );
      return collected.reduce((sum, { rssBytes }) => sum + rssBytes, 0);
    },
    areAllAlive: async () => (await pids()).every(isAlive),
    close: () => removeFolder(folder),
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
