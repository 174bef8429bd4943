import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket, Server as TlsServer } from 'node:tls';
import type { SecureConnection } from './connections/edge-connection.ts';
import { FastPath } from './connections/fast-path.ts';
import { Http2Server } from './connections/http2-server.ts';
import { OpenConnections } from './connections/open-connections.ts';
import type { EdgeParts } from './edge-exchange.ts';
import { DEFAULT_EDGE_LIMITS, type EdgeLimits } from './edge-limits.ts';
import type { EdgeLogger } from './edge-logger.ts';
import { HostDirectory } from './host-directory.ts';
import { createHttpServer } from './http-server.ts';
import { LostCopies } from './lost-copies.ts';
import { BlobHandles } from './memory/blob-handles.ts';
import { BodyCache } from './memory/body-cache.ts';
import { MemoryBudget } from './memory/memory-budget.ts';
import { TransferMemory } from './memory/transfer-memory.ts';
import { type EdgeObserver, noObserver } from './observer.ts';
import type { EdgePorts } from './ports.ts';
import { EdgeClock } from './ready-response.ts';
import { SiteViews } from './site-views.ts';
import { SecureIdentities } from './tls/secure-identities.ts';
import { type SecureOptions, SecureServer, type SecureServerParts } from './tls/secure-server.ts';

export interface EdgeOptions {
  readonly ports: EdgePorts;
  readonly logger: EdgeLogger;
  readonly observer?: EdgeObserver;
  readonly limits?: Partial<EdgeLimits>;
  /** Omit it to have no https port. */
  readonly secure?: SecureOptions;
  /**
   * Returns the public https address of a hostname, without a trailing slash; by default on the usual port.
   */
  readonly secureUrl?: (hostname: string) => string;
  /** Where abuse is reported; without it the edge's own pages have no such link. */
  readonly reportUrl?: string;
  /**
   * Returns the key under which an address counts in the limits per visitor; by default the address itself.
   */
  readonly addressKey?: (address: string) => string;
  /** Trusts X-Forwarded-Proto and X-Forwarded-For: only behind a proxy that sets them. */
  readonly trustProxy?: boolean;
  /** Epoch milliseconds; the machine's clock by default. */
  readonly now?: () => number;
}

/** A running edge. */
export interface Edge {
  /** Call `listen` on it; it is Node's server, with the fast path in front. */
  readonly server: Server;
  /** The same for https, HTTP/1.1 and HTTP/2; null without `secure`. */
  readonly secureServer: TlsServer | null;
  /**
   * Call this when anything about the hostname has changed, including its certificate: the next request and
   * the next handshake use it.
   */
  invalidateHost(hostname: string): void;
  /**
   * Call this when the site was published, rolled back or changed: the next request to any of its hosts uses
   * it.
   */
  invalidateSite(siteId: string): void;
  /**
   * Stops listening, finishes responses in flight for at most `drainMs`, then closes everything. Idle
   * connections have `graceMs` for a request that is already on its way. All meters have been updated then.
   */
  close(): Promise<void>;
}

/**
 * Creates an HTTP and HTTPS server for the sites known to its ports. It continues to serve what it knows when
 * the ports fail.
 */
export function createEdge(options: EdgeOptions): Edge {
  const { ports, logger, observer = noObserver, now = Date.now } = options;
  const limits: EdgeLimits = { ...DEFAULT_EDGE_LIMITS, ...options.limits };
  const budget = new MemoryBudget(limits.memoryBytesMax);
  const handles = new BlobHandles(ports, limits.openFilesMax);
  const views = new SiteViews(ports, limits, budget);
  const directory = new HostDirectory(ports, views, logger, limits.hostsMax, now);
  const bodies = new BodyCache(handles, budget, limits.loadingBytesMax);
  const lostCopies = new LostCopies(ports, logger, now);
  const clock = new EdgeClock(now);
  const { cachedFileBytesMax } = limits;
  const { secureUrl = (hostname) => `https://${hostname}`, trustProxy = false, reportUrl = null } = options;
  const { addressKey = (address) => address } = options;
  const { forVisitor = (_, lookUp) => lookUp() } = ports;
  const transfers = new TransferMemory(limits, now);
  const parts: EdgeParts = {
    ...{ directory, views, handles, bodies, lostCopies, budget, clock, logger, observer },
    ...{ cachedFileBytesMax, secureUrl, reportUrl, trustProxy, transfers, addressKey, forVisitor },
  };

  const { server, drain, handOver } = createHttpServer(parts, limits);
  const fastPath = new FastPath({ parts, limits, handOver });
  const connections = new OpenConnections();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    fastPath.adopt(socket);
  });
  const streams = new Http2Server({ parts, limits });
  const adoptSecure = (socket: TLSSocket, about: SecureConnection) => {
    connections.add(socket);
    if (socket.alpnProtocol === 'h2') streams.adopt(socket, about);
    else {
      // A client that has closed its sending side after a request still gets its response, as on the plain port.
      socket.allowHalfOpen = true;
      fastPath.adopt(socket, about);
    }
  };
  const secure = openSecureServer(options, { limits, logger, now, adopt: adoptSecure });

  const close = async (): Promise<void> => {
    fastPath.drain();
    streams.drain();
    secure?.stop();
    const deadline = setTimeout(() => {
      fastPath.destroyAll();
      streams.destroyAll();
      secure?.destroyAll();
      server.closeAllConnections();
    }, limits.drainMs);
    await Promise.all([drain.run(limits.graceMs), secure && closed(secure.server)]);
    clearTimeout(deadline);
    await connections.none();
    handles.close();
  };
  let closing: Promise<void> | null = null;

  return {
    server,
    secureServer: secure?.server ?? null,
    invalidateHost(hostname) {
      directory.invalidateHost(hostname);
      secure?.invalidate(hostname);
    },
    invalidateSite: (siteId) => directory.invalidateSite(siteId),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Returns the listener of the https port; null without one. */
function openSecureServer(
  { ports, secure: options }: EdgeOptions,
  parts: Omit<SecureServerParts, 'options' | 'identities'>,
): SecureServer | null {
  const findCertificate = ports.findCertificate?.bind(ports);
  if (options === undefined || findCertificate === undefined) return null;
  const { limits, logger, now } = parts;
  const { serverNamesMax: namesMax, certificatesMax: contextsMax } = limits;
  const recallCertificate = ports.recallCertificate?.bind(ports);
  const identities = new SecureIdentities({
    ...{ findCertificate, logger, namesMax, contextsMax, now },
    ...(recallCertificate && { recallCertificate }),
  });
  return new SecureServer({ ...parts, options, identities });
}

/** Resolves when the server has stopped and its connections are gone. */
function closed(server: TlsServer): Promise<void> {
  return new Promise((resolve) => {
    // The error means that it never listened, which is just as closed.
    server.close(() => resolve());
  });
}
