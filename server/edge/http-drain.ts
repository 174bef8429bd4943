import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

const checkMs = 50;

/**
 * Stops an HTTP/1.1 server without losing a request that is on its way: it lets nobody new in, tells every client with its next
 * answer that the connection ends, and closes idle connections only after a grace. Closed at once, they would answer what their
 * clients have sent in the meantime with a reset.
 */
export class HttpDrain {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private isDraining = false;

  /** To be made before anything guards the server's connections. */
  constructor(server: Server) {
    this.server = server;
    server.prependListener('request', (_, outgoing) => {
      // Node writes `Connection: close` by itself then, and closes after the answer.
      if (this.isDraining) outgoing.shouldKeepAlive = false;
    });
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** Resolves when all connections are gone. */
  async run(graceMs: number): Promise<void> {
    const { server } = this;
    this.isDraining = true;
    // The close of an HTTP server ends idle connections as well; this one only stops listening.
    const closed = new Promise<void>((resolve) => {
      NetServer.prototype.close.call(server, () => resolve());
    });
    let idleCheck: NodeJS.Timeout | undefined;
    const grace = setTimeout(() => {
      this.endUnused();
      server.closeIdleConnections();
      idleCheck = setInterval(() => server.closeIdleConnections(), checkMs);
    }, graceMs);
    await closed;
    clearTimeout(grace);
    clearInterval(idleCheck);
    // Nothing is left to close but a timer of node's.
    server.close();
  }

  /** Node does not count connections as idle that have not asked anything yet, such as those browsers open ahead. */
  private endUnused(): void {
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}
