import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Course, type Load, pinned, type Target, ticksOf } from './wrk-load.ts';

const run = promisify(execFile);

/**
 * Requests a file for some seconds, 64 at a time, each over a connection of its own. ApacheBench keeps no TLS
 * session, so every handshake is a full one; wrk resumes where the server's tickets let it, which compares
 * tickets rather than handshakes.
 * @throws for any status but 200
 */
export async function loadWithHandshakes(
  ab: string,
  { securePort, workerIds, host }: Target,
  { name }: Course,
  seconds: number,
): Promise<Load> {
  const before = ticksOf(workerIds);
  const command = [
    ...(workerIds.length === 1 ? pinned(1) : []),
    ...[ab, '-q', '-c', '64', '-t', String(seconds), '-n', '10000000', '-H', `Host: ${host}`],
    `https://127.0.0.1:${securePort}/${name}`,
  ];
  const { stdout } = await run(command[0] ?? ab, command.slice(1));
  const ticks = ticksOf(workerIds) - before;
  const requests = Number(/Complete requests: +(\d+)/.exec(stdout)?.[1] ?? 0);
  const rate = Number(/Requests per second: +([\d.]+)/.exec(stdout)?.[1] ?? 0);
  if (requests === 0 || !/Failed requests: +0\n/.test(stdout) || stdout.includes('Non-2xx'))
    throw new Error(`ab met errors: ${stdout}`);
  return { requests, requestsPerSecond: rate, microsecondsPerRequest: (ticks * 10_000) / requests };
}
