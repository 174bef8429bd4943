import { type ChildProcess, execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A server under load. */
export interface Target {
  readonly port: number;
  readonly securePort: number;
  /** The processes that serve: nginx's workers, not its master. */
  readonly workerIds: readonly number[];
  /** The requested hostname. */
  readonly host: string;
}

/** A server started for the comparison. */
export interface Contender extends Target {
  readonly process: ChildProcess;
}

/** What is requested from it. */
export interface Course {
  readonly name: string;
  /** `handshakes`: https, with a new connection and a full handshake for each request. */
  readonly scheme: 'http' | 'https' | 'handshakes' | 'http2';
  /** Lines sent with each request. */
  readonly headers?: readonly string[];
}

/** The result. */
export interface Load {
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** Processor time of the server per request; steadier than a rate while others use the machine. */
  readonly microsecondsPerRequest: number;
}

/**
 * Keeps 64 connections of wrk busy for some seconds: on the second core for a single-process server, else on
 * any.
 * @throws for any status but 200
 */
export async function loadWithWrk(
  wrk: string,
  { port, securePort, workerIds, host }: Target,
  { name, scheme, headers = [] }: Course,
  seconds: number,
): Promise<Load> {
  const before = ticksOf(workerIds);
  const address = `${scheme}://127.0.0.1:${scheme === 'http' ? port : securePort}/${name}`;
  const command = [
    ...(workerIds.length === 1 ? pinned(1) : []),
    wrk,
    '-t1',
    '-c64',
    `-d${seconds}`,
    ...[`Host: ${host}`, ...headers].flatMap((header) => ['-H', header]),
    address,
  ];
  const { stdout } = await run(command[0] ?? wrk, command.slice(1));
  const ticks = ticksOf(workerIds) - before;
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0);
  const rate = Number(/Requests\/sec:\s*([\d.]+)/.exec(stdout)?.[1] ?? 0);
  if (requests === 0 || /Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk met errors: ${stdout}`);
  return { requests, requestsPerSecond: rate, microsecondsPerRequest: (ticks * 10_000) / requests };
}

/** Returns the processor time of processes so far, in hundredths of a second. */
export function ticksOf(processIds: readonly number[]): number {
  return processIds.map(processorTicks).reduce((sum, ticks) => sum + ticks, 0);
}

/** Returns a process's children; none when the system does not report them. */
export function childrenOf(processId: number): number[] {
  const path = `/proc/${processId}/task/${processId}/children`;
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** User and system time so far, in hundredths of a second; 0 when the system does not report it. */
function processorTicks(processId: number): number {
  const path = `/proc/${processId}/stat`;
  if (!existsSync(path)) return 0;
  const fields = readFileSync(path, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/** The command prefix that pins it to one core, where supported. */
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
