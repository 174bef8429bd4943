import { createServer } from 'node:net';

/**
 * Ports below the range that the system uses for outgoing connections: none of those can take one between the
 * probe and the listener of a test. Each worker has its own share, so that two never take the same.
 */
const FIRST = 20_000;
const SHARE = 1_500;
const SHARES = 8;

const share = FIRST + (Number(process.env.VITEST_POOL_ID ?? 0) % SHARES) * SHARE;
let next = process.pid % SHARE;

/**
 * Returns a port that nothing listens on, and that this worker does not return again before it has returned
 * them all.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < SHARE; attempt += 1) {
    const port = share + next;
    next = (next + 1) % SHARE;
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    // On every address, like the program itself by default.
    server.listen(port, () => server.close(() => resolve(true)));
  });
}
