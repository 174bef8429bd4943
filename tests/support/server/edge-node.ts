import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UsageBatch } from '#server/services/usage/schema.ts';
import { askEdge } from '../client/ask-edge.ts';
import { freePort } from '../free-port.ts';
import { pollUntil } from '../poll-until.ts';
import { endProcess } from './end-process.ts';
import { programEnvironment } from './program-environment.ts';

/** The program with only the edge role, which can crash and come back with its data. */
export interface EdgeNode {
  port: number;
  dataDir: string;
  start(): Promise<void>;
  /** Ends it at once (kill -9). */
  kill(): Promise<void>;
  /** Stops it; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Its whole output. */
  output(): string;
}

/** Starts an edge on a free port and waits until it responds. */
export async function startEdgeNode(dataDir: string, environment: Record<string, string>): Promise<EdgeNode> {
  const port = await freePort();
  const httpsPort = await freePort();
  const settings = {
    NODE_ENV: 'production',
    ROLES: 'edge',
    DATA_DIR: dataDir,
    EDGE_HTTP_PORT: String(port),
    EDGE_HTTPS_PORT: String(httpsPort),
    BIND_ADDRESS: '127.0.0.1',
    LOG_LEVEL: 'warn',
    ...environment,
  };
  let child: ChildProcess | undefined;
  let printed = '';
  const node: EdgeNode = {
    ...{ port, dataDir },
    output: () => printed,
    async start() {
      const started = spawn(process.execPath, ['server/main.ts'], {
        env: { ...programEnvironment(), ...settings },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      const take = (chunk: Buffer) => {
        printed += chunk.toString();
      };
      started.stdout.on('data', take);
      started.stderr.on('data', take);
      const isUp = () =>
        askEdge(port, 'unknown.sites.localhost', '/').then(
          () => true,
          () => false,
        );
      await pollUntil(isUp, (up) => up || started.exitCode !== null, 1200);
      if (started.exitCode !== null) throw new Error(`the edge ended with ${started.exitCode}:\n${printed}`);
    },
    kill: () => endProcess(child, 'SIGKILL').then(() => undefined),
    stop: () => endProcess(child, 'SIGTERM'),
  };
  await node.start();
  return node;
}

/** Returns every batch waiting on disk below a node's spool. */
export async function batchesIn(spool: string): Promise<UsageBatch[]> {
  const batches: UsageBatch[] = [];
  for (const entry of await readdir(spool, { withFileTypes: true }).catch(() => [])) {
    if (!entry.isDirectory()) continue;
    for (const name of await readdir(join(spool, entry.name)).catch(() => [])) {
      // A batch that is being sent may disappear before it is read.
      const text = await readFile(join(spool, entry.name, name), 'utf8').catch(() => null);
      if (name.endsWith('.json') && text !== null) batches.push(JSON.parse(text));
    }
  }
  return batches.sort((a, b) => a.sequence - b.sequence);
}

/** Returns how many requests batches contain. */
export function requestsIn(batches: readonly UsageBatch[]): number {
  return batches.flatMap(({ rows }) => rows).reduce((sum, { requests }) => sum + requests, 0);
}
