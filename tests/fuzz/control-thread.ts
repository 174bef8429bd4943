import { createServer } from 'node:http';
import { parentPort } from 'node:worker_threads';

/**
 * A server that does nothing but respond, on a separate thread: the time a visitor waits for it is the
 * machine's own.
 */
const server = createServer((_, response) => response.end('ok'));
server.listen(0, '127.0.0.1', () => parentPort?.postMessage(server.address()));
