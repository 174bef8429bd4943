import { type ChildProcess, execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A server that wrk asks. */
export interface Contender {
  readonly port: number;
  readonly securePort: number;
  readonly process: ChildProcess;
  /** The process that answers: nginx's worker, not its master. */
  readonly workerId: number;
}

/** What is asked of it. */
export interface Course {
  readonly name: string;
  readonly scheme: 'http' | 'https';
  readonly headers: readonly string[];
}

/** What came of it. */
export interface Load {
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** Processor time of the server for one request; steadier than a rate while others use the machine. */
  readonly microsecondsPerRequest: number;
}

/** Keeps 64 connections of wrk, on the second core, busy for some seconds. @throws when anything but 200 is answered */
export async function loadWithWrk(
  wrk: string,
  { port, securePort, workerId }: Contender,
  { name, scheme, headers }: Course,
  seconds: number,
): Promise<Load> {
  const before = processorTicks(workerId);
  const address = `${scheme}://127.0.0.1:${scheme === 'http' ? port : securePort}/${name}`;
  const fields = ['Host: bench.test', ...headers].flatMap((header) => ['-H', header]);
  const command = [...pinned(1), wrk, '-t1', '-c64', `-d${seconds}`, ...fields, address];
  const { stdout } = await run(command[0] ?? wrk, command.slice(1));
  const ticks = processorTicks(workerId) - before;
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0);
  const rate = Number(/Requests\/sec:\s*([\d.]+)/.exec(stdout)?.[1] ?? 0);
  if (requests === 0 || /Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk met errors: ${stdout}`);
  return { requests, requestsPerSecond: rate, microsecondsPerRequest: (ticks * 10_000) / requests };
}

/** User and system time so far, in hundredths of a second; 0 where the system does not tell. */
function processorTicks(processId: number): number {
  const path = `/proc/${processId}/stat`;
  if (!existsSync(path)) return 0;
  const fields = readFileSync(path, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/** The command's prefix that keeps it on one core, where that can be said. */
export function pinned(core: 0 | 1): string[] {
  const taskset = findProgram('taskset');
  return taskset === null ? [] : [taskset, '-c', String(core)];
}

/** Returns where a program is, or null. */
export function findProgram(name: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}
