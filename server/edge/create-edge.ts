import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { BlobHandles } from './blob-handles.ts';
import { BodyCache } from './body-cache.ts';
import type { EdgeParts } from './edge-exchange.ts';
import { defaultEdgeLimits, type EdgeLimits } from './edge-limits.ts';
import type { EdgeLogger } from './edge-logger.ts';
import { FastLane } from './fast-lane.ts';
import { HostDirectory } from './host-directory.ts';
import { MemoryBudget } from './memory-budget.ts';
import type { EdgePorts } from './ports.ts';
import { EdgeClock } from './ready-answer.ts';
import { serveRequest } from './serve-request.ts';
import { SiteViews } from './site-views.ts';

export interface EdgeOptions {
  readonly ports: EdgePorts;
  readonly logger: EdgeLogger;
  readonly limits?: Partial<EdgeLimits>;
  /** Epoch milliseconds; the machine's clock by default. */
  readonly now?: () => number;
}

/** A running edge. */
export interface Edge {
  /** Call `listen` on it; it is node's server, with the fast lane in front. */
  readonly server: Server;
  /** Something about this hostname changed: the next request sees it. */
  invalidateHost(hostname: string): void;
  /** The site was published, rolled back or changed: the next request to any of its hosts sees it. */
  invalidateSite(siteId: string): void;
  /** Stops listening, finishes answers in flight for at most `drainMs`, then closes everything. */
  close(): Promise<void>;
}

const idleCheckMs = 50;

/** An HTTP server that answers for the sites its ports know. It keeps serving what it knows when the ports fail. */
export function createEdge(options: EdgeOptions): Edge {
  const { ports, logger, now = Date.now } = options;
  const limits: EdgeLimits = { ...defaultEdgeLimits, ...options.limits };
  const budget = new MemoryBudget(limits.memoryBytesMax);
  const handles = new BlobHandles(ports, limits.openFilesMax);
  const views = new SiteViews(ports, limits.manifestFilesMax, budget);
  const directory = new HostDirectory(ports, views, logger, limits.hostsMax, now);
  const bodies = new BodyCache(handles, budget, limits.loadingBytesMax);
  const clock = new EdgeClock(now);
  const { cachedFileBytesMax } = limits;
  const parts: EdgeParts = { directory, views, handles, bodies, budget, clock, logger, cachedFileBytesMax };
  const onRequest = ports.onRequest?.bind(ports);

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
      if (isClosing) outgoing.setHeader('Connection', 'close');
      void serveRequest(parts, onRequest, incoming, outgoing);
    },
  );
  server.timeout = limits.stallMs;
  const [toHttp] = takeConnectionListeners(server);
  const handOver = (socket: Socket) => toHttp?.call(server, socket);
  const lane = new FastLane({ parts, limits, onRequest, handOver });
  server.on('connection', (socket: Socket) => lane.adopt(socket));

  let isClosing = false;
  const close = async (): Promise<void> => {
    isClosing = true;
    lane.drain();
    const idleCheck = setInterval(() => server.closeIdleConnections(), idleCheckMs);
    const deadline = setTimeout(() => {
      lane.destroyAll();
      server.closeAllConnections();
    }, limits.drainMs);
    await new Promise<void>((resolve) => {
      // The error says that it never listened, which is just as closed.
      server.close(() => resolve());
    });
    clearInterval(idleCheck);
    clearTimeout(deadline);
    handles.close();
  };
  let closing: Promise<void> | null = null;

  return {
    server,
    invalidateHost: (hostname) => directory.invalidateHost(hostname),
    invalidateSite: (siteId) => directory.invalidateSite(siteId),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

type ConnectionListener = (this: Server, socket: Socket) => void;

/** Removes node's own connection listener from a server and answers it, so that connections can be given to it later. */
function takeConnectionListeners(server: Server): ConnectionListener[] {
  // EventEmitter types listeners as Function; those of 'connection' take a socket by node's documentation.
  const listeners = server.listeners('connection') as ConnectionListener[];
  server.removeAllListeners('connection');
  return listeners;
}
