import type { Server as AnyServer } from 'node:net';

/** Starts listening and resolves with the port in use. @throws the listener's own error, e.g. EADDRINUSE */
export function listen(server: AnyServer, port: number, address: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      server.off('error', reject);
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });
}
