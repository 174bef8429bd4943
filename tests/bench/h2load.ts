import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type Course, type Load, type Target, ticksOf } from './wrk-load.ts';

const run = promisify(execFile);
const CONNECTIONS = 10;
const FAILED = /, 0 failed, 0 errored, 0 timeout/;

/**
 * Requests a file at a fixed rate per second, regardless of the responses, and returns how long each took, in
 * milliseconds.
 * @param h2load the program
 * @param logFile is overwritten
 * @throws when a request fails or has any status but 200
 */
export async function loadPaced(
  h2load: string,
  { port, host }: Target,
  name: string,
  { perSecond, seconds, logFile }: { perSecond: number; seconds: number; logFile: string },
): Promise<number[]> {
  // h2load appends to it.
  await rm(logFile, { force: true });
  const { stdout } = await run(h2load, [
    ...['--h1', '-c', String(CONNECTIONS), `--rps=${perSecond / CONNECTIONS}`, '-D', String(seconds)],
    ...['--log-file', logFile, `--connect-to=127.0.0.1:${port}`, `http://${host}:${port}/${name}`],
  ]);
  if (!FAILED.test(stdout)) throw new Error(`h2load met errors: ${stdout}`);
  const lines = (await readFile(logFile, 'utf8')).trim().split('\n');
  return lines.map((line) => {
    const [, status, microseconds] = line.split('\t');
    if (status !== '200') throw new Error(`the answer was ${status}`);
    return Number(microseconds) / 1000;
  });
}

const STREAMS_PER_CONNECTION = 10;

/**
 * Keeps ten streams on each of 64 HTTP/2 connections busy for some seconds.
 * @throws like {@link loadPaced}
 */
export async function loadWithHttp2(
  h2load: string,
  { securePort, workerIds, host }: Target,
  { name }: Course,
  seconds: number,
): Promise<Load> {
  const before = ticksOf(workerIds);
  const { stdout } = await run(h2load, [
    ...['-c', '64', '-m', String(STREAMS_PER_CONNECTION), '-D', String(seconds)],
    ...[`--connect-to=127.0.0.1:${securePort}`, `https://${host}:${securePort}/${name}`],
  ]);
  const ticks = ticksOf(workerIds) - before;
  const requests = Number(/, (\d+) succeeded, /.exec(stdout)?.[1] ?? 0);
  if (requests === 0 || !FAILED.test(stdout)) throw new Error(`h2load met errors: ${stdout}`);
  return {
    requests,
    requestsPerSecond: requests / seconds,
    microsecondsPerRequest: (ticks * 10_000) / requests,
  };
}
