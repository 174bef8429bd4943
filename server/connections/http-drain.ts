import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { afterGrace } from './after-grace.ts';
import { stopParsing } from './bound-parsing.ts';

/**
 * Stops an HTTP/1.1 server without losing a request that is on its way: it accepts no new connection, tells
 * every client with its next response that the connection ends, and closes idle connections only after a grace
 * period. Closed immediately, they would answer requests already sent with a reset.
 */
export class HttpDrain {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  /** The newest response of each connection that has one under way. */
  private readonly underWay = new Map<Socket, ServerResponse>();
  private isDraining = false;

  /** Must be created before anything guards the server's connections. */
  constructor(server: Server) {
    this.server = server;
    server.prependListener('request', ({ socket }, outgoing) => {
      this.underWay.set(socket, outgoing);
      outgoing.once('close', () => {
        if (this.underWay.get(socket) === outgoing) this.underWay.delete(socket);
      });
      if (this.isDraining) endWith(outgoing);
    });
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** Resolves when all connections are closed. */
  async run(graceMs: number): Promise<void> {
    const { server } = this;
    this.isDraining = true;
    // Closing an HTTP server ends idle connections as well; this only stops listening.
    const closed = new Promise<void>((resolve) => {
      NetServer.prototype.close.call(server, () => resolve());
    });
    const closeIdle = () => server.closeIdleConnections();
    for (const outgoing of this.underWay.values()) {
      if (!outgoing.headersSent) endWith(outgoing);
      // Its client may already have the next request on its way when this response is complete.
      else outgoing.once('close', () => afterGrace(graceMs, closeIdle));
    }
    const cancel = afterGrace(graceMs, () => {
      this.endUnused();
      closeIdle();
    });
    await closed;
    cancel();
    // Nothing is left to close but one of Node's timers.
    server.close();
  }

  /**
   * Node does not count connections as idle that have not sent a request yet, such as those browsers open in
   * advance.
   */
  private endUnused(): void {
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}

/** Node then writes `Connection: close` itself, and closes after the response. */
function endWith(outgoing: ServerResponse): void {
  outgoing.shouldKeepAlive = false;
  stopParsing(outgoing.req.socket);
}
