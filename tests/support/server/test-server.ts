import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UNCAUGHT_MESSAGE } from '#server/start/log-uncaught-errors.ts';
import { placeSqliteDatabase } from '../app/test-database.ts';
import { askEdge, type EdgeRequest, type EdgeResponse } from '../client/ask-edge.ts';
import { freePort } from '../free-port.ts';
import { removeFolder } from '../remove-folder.ts';
import { templateFor, writePreparedKey } from '../runner/prepared-installation.ts';
import { endProcess } from './end-process.ts';
import { programEnvironment } from './program-environment.ts';

/** Where a running program is reached, and where its data is. */
export interface ServerPlace {
  consoleUrl: string;
  consolePort: number;
  edgePort: number;
  /** Of the name server, udp and tcp. */
  dnsPort: number;
  dataDir: string;
  /** Of the S3 service. */
  s3Port: number;
  environment: Record<string, string>;
}

/** A program that somebody else starts and stops. */
export interface RunningServer extends ServerPlace {
  /** Requests a path of a hostname from the edge, e.g. `blog.sites.localhost`. */
  edge(host: string, path: string, init?: EdgeRequest): Promise<EdgeResponse>;
}

/** The whole program in its own process, started like `npm start`. */
export interface TestServer extends RunningServer {
  /** Of the started process. */
  processId(): number;
  /** Its whole output: one JSON line per event. */
  output(): string;
  /** Ends it immediately, like a crash (kill -9). */
  kill(): Promise<void>;
  /** Stops it and waits; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Starts it again on the same data and ports. */
  start(): Promise<void>;
  /** Stops it and removes its data. */
  close(): Promise<void>;
}

/** Returns the program that runs at a place. */
export function reachServer(place: ServerPlace): RunningServer {
  return { ...place, edge: (host, path, init = {}) => askEdge(place.edgePort, host, path, init) };
}

/**
 * Starts the program on free ports, or those of `environment`, and a new data directory, which is that of an
 * installation after its first start, and waits until it is ready.
 */
export function startTestServer(environment: Record<string, string> = {}): Promise<TestServer> {
  if (environment.DATABASE_URL || environment.DATA_DIR) return startServer(environment);
  const fill = async (dataDir: string) => {
    const template = templateFor(environment);
    await placeSqliteDatabase(join(dataDir, 'portage.sqlite'), template);
    if (template === 'prepared') await writePreparedKey(dataDir);
  };
  return startServer(environment, { fill });
}

/**
 * Starts the program on free ports, or those of `environment`, and a new data directory, and waits until it is ready.
 * @param fill writes to the data directory before the start
 * @param place the folder in which the data directory is made
 */
export async function startServer(
  environment: Record<string, string> = {},
  { fill, place = tmpdir() }: { fill?: (dataDir: string) => Promise<void>; place?: string } = {},
): Promise<TestServer> {
  const dataDir = await mkdtemp(join(place, 'portage-server-'));
  const portOf = async (name: string) => Number(environment[name] ?? (await freePort()));
  const consolePort = await portOf('CONSOLE_PORT');
  const edgePort = await portOf('EDGE_HTTP_PORT');
  const edgeHttpsPort = await portOf('EDGE_HTTPS_PORT');
  const dnsPort = await portOf('DNS_PORT');
  const s3Port = await portOf('S3_PORT');
  const settings: Record<string, string> = {
    NODE_ENV: 'production',
    DATA_DIR: dataDir,
    CONSOLE_PORT: String(consolePort),
    EDGE_HTTP_PORT: String(edgePort),
    EDGE_HTTPS_PORT: String(edgeHttpsPort),
    DNS_PORT: String(dnsPort),
    S3_PORT: String(s3Port),
    BIND_ADDRESS: '127.0.0.1',
    LOG_LEVEL: 'info',
    STOP_GRACE_SECONDS: '0.1',
    ...environment,
  };
  let child: ChildProcess | undefined;
  let printed = '';

  const server: TestServer = {
    ...reachServer({
      consoleUrl: `http://localhost:${consolePort}`,
      consolePort,
      edgePort,
      dnsPort,
      s3Port,
      dataDir,
      environment: settings,
    }),
    processId: () => child?.pid ?? 0,
    output: () => printed,
    async start() {
      child = spawn(process.execPath, ['server/main.ts'], {
        env: { ...programEnvironment(), ...settings },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const take = (chunk: Buffer) => {
        printed += chunk.toString();
      };
      child.stdout?.on('data', take);
      child.stderr?.on('data', take);
      try {
        await waitUntilReady(`http://127.0.0.1:${consolePort}/readyz`, child, () => printed);
      } catch (error) {
        await server.close();
        throw error;
      }
    },
    kill: () => endProcess(child, 'SIGKILL').then(() => undefined),
    stop: () => endProcess(child, 'SIGTERM'),
    async close() {
      await endProcess(child, 'SIGTERM');
      await removeFolder(dataDir);
      // The process survives such errors; a test does not.
      if (printed.includes(UNCAUGHT_MESSAGE)) throw new Error(`an error was not caught:\n${printed}`);
    },
  };
  await fill?.(dataDir);
  await server.start();
  return server;
}

/** A console of several processes may be ready before the others are. */
async function isWholeAndReady(response: Response): Promise<boolean> {
  if (!response.ok) return false;
  const { processes = {} } = (await response.json()) as { processes?: Record<string, string> };
  return Object.values(processes).every((state) => state === 'ok');
}

async function waitUntilReady(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const ATTEMPTS = 2_400;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}:\n${output()}`);
    const isReady = await fetch(url).then(isWholeAndReady, () => false);
    if (isReady && child.exitCode === null) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`the server did not become ready:\n${output()}`);
}
