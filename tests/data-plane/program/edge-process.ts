import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askEdge, type EdgeRequest, type EdgeResponse } from '#tests/support/client/ask-edge.ts';
import { freePort } from '#tests/support/free-port.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { endProcess } from '#tests/support/server/end-process.ts';
import { programEnvironment } from '#tests/support/server/program-environment.ts';

/** The program with only the edge role, in its own process. */
export interface EdgeProcess {
  ask(host: string, path: string, init?: EdgeRequest): Promise<EdgeResponse>;
  /** Repeats the request until the response is right, within a limit. */
  askUntil(host: string, path: string, isRight: (response: EdgeResponse) => boolean): Promise<EdgeResponse>;
  close(): Promise<void>;
}

/** Starts an edge on a free port that shares a database and an object store with other processes. */
export async function startEdgeProcess(environment: Record<string, string>): Promise<EdgeProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'portage-edge-'));
  const port = await freePort();
  const httpsPort = await freePort();
  const child = spawn(process.execPath, ['server/main.ts'], {
    env: {
      ...programEnvironment(),
      NODE_ENV: 'production',
      ROLES: 'edge',
      DATA_DIR: dataDir,
      EDGE_HTTP_PORT: String(port),
      EDGE_HTTPS_PORT: String(httpsPort),
      BIND_ADDRESS: '127.0.0.1',
      STOP_GRACE_SECONDS: '0.1',
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
      await endProcess(child, 'SIGTERM');
      await removeFolder(dataDir);
    },
  };
}
