import type { Server as AnyServer } from 'node:net';
import { ConfigError } from '../../config/config-error.ts';
import { alone } from '../../supervisor/siblings.ts';
import { type DoorSettings, listenProblem } from './listen-problem.ts';

/** Starts listening and resolves with the port in use. @throws the listener's own error, e.g. EADDRINUSE */
export async function listen(
  server: AnyServer,
  port: number,
  address: string | undefined,
  siblings: { claimPort(port: number, address: string | undefined): Promise<void> } = alone,
): Promise<number> {
  await siblings.claimPort(port, address);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      server.off('error', reject);
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });
}

/**
 * Starts listening at a configured address.
 * @throws ConfigError with one sentence when that is not possible
 */
export async function listenAsSet(
  server: AnyServer,
  { port, address, ...settings }: DoorSettings & { port: number; address: string | undefined },
  siblings: { claimPort(port: number, address: string | undefined): Promise<void> },
): Promise<void> {
  try {
    await listen(server, port, address, siblings);
  } catch (error) {
    const problem = listenProblem(error, settings);
    throw problem === null ? error : new ConfigError(problem);
  }
}
