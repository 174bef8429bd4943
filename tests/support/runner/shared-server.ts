import type { TestProject } from 'vitest/node';
import { type ServerPlace, startServer } from '../server/test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The program of all tests that need none of their own. */
    sharedServer: ServerPlace;
  }
}

/** Starts the program once for the run. It trusts a proxy: each person who registers has an address of their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer(
    { TRUST_PROXY: 'true', LOG_LEVEL: 'warn' },
    { place: project.config.env.TMPDIR },
  );
  const { consoleUrl, consolePort, edgePort, dnsPort, s3Port, dataDir, environment } = server;
  project.provide('sharedServer', {
    consoleUrl,
    consolePort,
    edgePort,
    dnsPort,
    s3Port,
    dataDir,
    environment,
  });
  return server.close;
}
