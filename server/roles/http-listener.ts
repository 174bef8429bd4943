import type { Server as AnyServer } from 'node:net';
import { alone } from '../supervisor/neighbours.ts';

/** Starts listening and resolves with the port in use. @throws the listener's own error, e.g. EADDRINUSE */
export async function listen(
  server: AnyServer,
  port: number,
  address: string | undefined,
  neighbours: { claimPort(port: number, address: string | undefined): Promise<void> } = alone,
): Promise<number> {
  await neighbours.claimPort(port, address);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      server.off('error', reject);
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });
}
