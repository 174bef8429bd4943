import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

export interface EdgeRequest {
  method?: string;
  headers?: Record<string, string>;
}

/** An answer of the edge, not decoded: the bytes as they came. */
export interface EdgeResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
}

/** The whole program in a process of its own, as `npm start` runs it. */
export interface TestServer {
  consoleUrl: string;
  consolePort: number;
  edgePort: number;
  dataDir: string;
  environment: Record<string, string>;
  /** Everything it has printed: one JSON line an event. */
  output(): string;
  /** Ends it at once, as a crash would (kill -9). */
  kill(): Promise<void>;
  /** Asks it to stop and waits; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Starts it again on the same data and ports. */
  start(): Promise<void>;
  /** Stops it and removes its data. */
  close(): Promise<void>;
  /** Asks the edge for a path of a host name, e.g. `blog.sites.localhost`. */
  edge(host: string, path: string, init?: EdgeRequest): Promise<EdgeResponse>;
}

/** Starts the program on free ports and an empty data directory, and waits until it is ready. */
export async function startTestServer(environment: Record<string, string> = {}): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'portage-server-'));
  const consolePort = await freePort();
  const edgePort = await freePort();
  const settings: Record<string, string> = {
    NODE_ENV: 'production',
    DATA_DIR: dataDir,
    CONSOLE_PORT: String(consolePort),
    EDGE_HTTP_PORT: String(edgePort),
    BIND_ADDRESS: '127.0.0.1',
    LOG_LEVEL: 'info',
    ...environment,
  };
  let child: ChildProcess | undefined;
  let printed = '';

  const server: TestServer = {
    consoleUrl: `http://localhost:${consolePort}`,
    consolePort,
    edgePort,
    dataDir,
    environment: settings,
    output: () => printed,
    async start() {
      child = spawn(process.execPath, ['server/main.ts'], {
        env: { PATH: process.env.PATH ?? '', ...settings },
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
    kill: () => end(child, 'SIGKILL').then(() => undefined),
    stop: () => end(child, 'SIGTERM'),
    async close() {
      await end(child, 'SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    },
    edge: (host, path, init = {}) => requestEdge(edgePort, host, path, init),
  };
  await server.start();
  return server;
}

/** Sends one request with a Host header of ours, which fetch would not let us set, and reads the whole answer. */
function requestEdge(port: number, host: string, path: string, init: EdgeRequest): Promise<EdgeResponse> {
  return new Promise((resolve, reject) => {
    const headers = { host: `${host}:${port}`, ...init.headers };
    const sent = request(
      { host: '127.0.0.1', port, path, method: init.method ?? 'GET', headers },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const body = Buffer.concat(chunks);
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body,
            text: body.toString('utf8'),
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

async function waitUntilReady(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const ATTEMPTS = 600;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}:\n${output()}`);
    const isReady = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the server did not become ready:\n${output()}`);
}

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<number | null> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill(signal);
  return exited;
}
