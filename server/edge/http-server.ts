import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { boundParsing } from '../connections/bound-parsing.ts';
import { dropBehindLast } from '../connections/drop-behind-last.ts';
import { HttpDrain } from '../connections/http-drain.ts';
import { RequestsAhead } from '../connections/requests-ahead.ts';
import { acceptPlainSockets } from './connections/direct-reads.ts';
import { type EdgeConnection, plainConnection } from './connections/edge-connection.ts';
import type { EdgeParts } from './edge-exchange.ts';
import type { EdgeLimits } from './edge-limits.ts';
import { type ServedConnection, serveRequest } from './serve-request.ts';

/** Requests of a connection that wait for their responses; no browser sends any ahead. */
const AHEAD_MAX = 32;

const CONNECT_REFUSAL = [
  'HTTP/1.1 405 Method Not Allowed',
  'Allow: GET, HEAD',
  'Content-Length: 0',
  'Connection: close',
  '\r\n',
].join('\r\n');

/** Node's HTTP server, which gets the connections whose requests the fast path does not accept. */
export interface HttpServer {
  /** Whoever listens for its connections has them: Node serves only those that are handed over. */
  readonly server: Server;
  readonly drain: HttpDrain;
  /** Lets Node serve a connection, from what has not been read of it. */
  handOver(socket: Socket, about: EdgeConnection): void;
}

/** Creates the server; it does not listen yet, and serves nothing that is not handed over. */
export function createHttpServer(parts: EdgeParts, limits: EdgeLimits): HttpServer {
  const served = new WeakMap<Duplex, ServedConnection>();
  const server = createServer(
    {
      maxHeaderSize: limits.headBytesMax,
      headersTimeout: limits.headMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.min(5_000, limits.headMs),
      noDelay: true,
    },
    (incoming, outgoing) => {
      const connection = served.get(incoming.socket) ?? servedFrom(plainConnection, 0);
      void serveRequest(parts, incoming, outgoing, connection);
    },
  );
  // Node has taken the connection out of its server, and would close it without a response.
  server.on('connect', (_, socket) => {
    if (served.get(socket)?.ahead.isIdle) socket.end(CONNECT_REFUSAL, () => socket.destroy());
    else socket.destroy();
  });
  acceptPlainSockets(server);
  dropBehindLast(server);
  server.timeout = limits.stallMs;
  const [toHttp] = takeConnectionListeners(server);
  return {
    server,
    drain: new HttpDrain(server),
    handOver(socket, about) {
      served.set(socket, servedFrom(about, socket.bytesWritten));
      toHttp?.call(server, socket);
      boundParsing(socket);
    },
  };
}

function servedFrom(about: EdgeConnection, settledTo: number): ServedConnection {
  return { about, settledTo, ahead: new RequestsAhead(AHEAD_MAX) };
}

type ConnectionListener = (this: Server, socket: Socket) => void;

/**
 * Removes Node's own connection listener from a server and returns it, so that connections can be passed to
 * it later.
 */
function takeConnectionListeners(server: Server): ConnectionListener[] {
  // EventEmitter types listeners as Function; according to Node's documentation those of 'connection' take a
  // socket.
  const listeners = server.listeners('connection') as ConnectionListener[];
  server.removeAllListeners('connection');
  return listeners;
}
