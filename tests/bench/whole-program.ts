import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Deployer, registerDeployer } from '#tests/support/client/deploy-client.ts';
import { childProcesses } from '#tests/support/server/child-processes.ts';
import { startServer, type TestServer } from '#tests/support/server/test-server.ts';
import type { Target } from './wrk-load.ts';

/** The program as started by `npm start`, a process for each role, with a site of the files in a folder. */
export interface WholeProgram {
  server: TestServer;
  deployer: Deployer;
  /** Its edges. */
  target: Target;
  /** Returns the memory of all its processes, in MiB, counting shared memory once. */
  memory(): number;
}

/** Starts the program and deploys files of a folder to a site. */
export async function startWholeProgram(
  folder: string,
  names: readonly string[],
  environment: Record<string, string> = {},
): Promise<WholeProgram> {
  const server = await startServer({
    PROCESSES: 'auto',
    LOG_LEVEL: 'warn',
    API_REQUESTS_PER_MINUTE: '1000000000',
    CHANGES_PER_HOUR: '1000000000',
    ...environment,
  });
  try {
    const deployer = await registerDeployer(server);
    const site = await deployer.createSite('Bench');
    const contents = await Promise.all(
      names.map(async (name): Promise<[string, Buffer]> => [name, await readFile(join(folder, name))]),
    );
    await site.deploy(Object.fromEntries(contents));
    const processes = () => childProcesses(server.processId());
    const edges = [...processes()].filter(([name]) => name.startsWith('edge-')).map(([, id]) => id);
    const target = {
      port: server.edgePort,
      securePort: Number(server.environment.EDGE_HTTPS_PORT),
      workerIds: edges,
      host: site.host,
    };
    return {
      server,
      deployer,
      target,
      memory: () =>
        [server.processId(), ...processes().values()].map(memoryOf).reduce((sum, part) => sum + part, 0),
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Proportional set size in MiB. */
function memoryOf(processId: number): number {
  const kibibytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${processId}/smaps_rollup`, 'utf8'))?.[1];
  return Number(kibibytes ?? Number.NaN) / 1024;
}
