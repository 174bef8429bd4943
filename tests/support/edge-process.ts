import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { pollUntil } from './poll-until.ts';
import type { EdgeRequest, EdgeResponse } from './test-server.ts';

/** The program with the one role of the edge, in a process of its own. */
export interface EdgeProcess {
  ask(host: string, path: string, init?: EdgeRequest): Promise<EdgeResponse>;
  /** Asks until the answer is right, within a bound. */
  askUntil(host: string, path: string, isRight: (answer: EdgeResponse) => boolean): Promise<EdgeResponse>;
  close(): Promise<void>;
}

/** Starts an edge on a free port that shares a database and an object store with other processes. */
export async function startEdgeProcess(environment: Record<string, string>): Promise<EdgeProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'portage-edge-'));
  const port = await freePort();
  const child = spawn(process.execPath, ['server/main.ts'], {
    env: {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      ROLES: 'edge',
      DATA_DIR: dataDir,
      EDGE_HTTP_PORT: String(port),
      BIND_ADDRESS: '127.0.0.1',
      ...environment,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ask: EdgeProcess['ask'] = (host, path, init) => askEdge(port, host, path, init);
  const isUp = () =>
    ask('unknown.sites.localhost', '/').then(
      () => true,
      () => false,
    );
  await pollUntil(isUp, (up) => up || child.exitCode !== null, 1200);
  if (child.exitCode !== null) throw new Error(`the edge ended with ${child.exitCode}`);
  return {
    ask,
    askUntil: (host, path, isRight) => pollUntil(() => ask(host, path), isRight),
    async close() {
      await ended(child);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function askEdge(port: number, host: string, path: string, init: EdgeRequest = {}): Promise<EdgeResponse> {
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

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}
