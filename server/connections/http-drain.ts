import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { afterGrace } from './after-grace.ts';
import { stopParsing } from './bound-parsing.ts';

const CHECK_MS = 50;

/** What a connection is used for: its newest request. */
interface Use {
  request: IncomingMessage;
  outgoing: ServerResponse;
  /** Its response has reached the system to the last byte, or never will. */
  isOver: boolean;
  /** Its client was told that it stays open, and may have the next request on its way. */
  isSpared: boolean;
}

/**
 * Stops an HTTP/1.1 server without losing a request that is on its way: it accepts no new connection, tells
 * every client with its next response that the connection ends, and closes idle connections only after a grace
 * period. Closed immediately, they would answer requests already sent with a reset.
 */
export class HttpDrain {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly uses = new Map<Socket, Use>();
  private isDraining = false;

  /** Must be created before anything guards the server's connections. */
  constructor(server: Server) {
    this.server = server;
    server.prependListener('request', (request, outgoing) => {
      this.note(request, outgoing);
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
    for (const use of this.uses.values()) {
      if (use.isOver) continue;
      endOnceComplete(use.outgoing);
      use.outgoing.once('close', () => {
        use.isSpared = use.outgoing.shouldKeepAlive;
        afterGrace(graceMs, () => {
          use.isSpared = false;
        });
      });
    }
    let idleCheck: NodeJS.Timeout | undefined;
    const cancel = afterGrace(graceMs, () => {
      this.endUnused();
      this.endIdle();
      idleCheck = setInterval(() => this.endIdle(), CHECK_MS);
    });
    await closed;
    cancel();
    clearInterval(idleCheck);
    // Nothing is left to close but one of Node's timers.
    server.close();
  }

  private note(request: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = request;
    if (!this.uses.has(socket)) socket.once('close', () => this.uses.delete(socket));
    const use: Use = { request, outgoing, isOver: false, isSpared: false };
    this.uses.set(socket, use);
    outgoing.once('close', () => {
      use.isOver = true;
    });
  }

  /**
   * Ends connections that have not sent a request yet, such as those browsers open in advance; a part of one is
   * a request on its way.
   */
  private endUnused(): void {
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
  }

  /**
   * Node itself takes a connection for idle whose last response a slow client has not read yet. It knows some that are not noted here, such
   * as those it has answered without a request event.
   */
  private endIdle(): void {
    let isQuiet = true;
    for (const [socket, { request, isOver, isSpared }] of this.uses) {
      if (!isOver || isSpared) isQuiet = false;
      else if (request.complete) socket.destroy();
    }
    if (isQuiet) this.server.closeIdleConnections();
  }
}

/**
 * Ends the connection of a response that is under way, unless the client is told first that it stays open. While its body arrives, it does:
 * closed meanwhile, the client would not read the response.
 */
function endOnceComplete(outgoing: ServerResponse): void {
  const { req } = outgoing;
  const end = () => {
    if (!outgoing.headersSent) endWith(outgoing);
  };
  if (req.complete) end();
  else req.once('end', end);
}

/** Node then writes `Connection: close` itself, and closes after the response. */
function endWith(outgoing: ServerResponse): void {
  outgoing.shouldKeepAlive = false;
  stopParsing(outgoing.req.socket);
}
