import type { ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logging/logger.ts';
import { AddressCounts } from './address-counts.ts';

/** A listener whose connections are counted: where clients connect. The metrics name it in their label `door`. */
export type Listener = 'console' | 'edge_http' | 'edge_https' | 's3';

/**
 * Connections get at most this fraction of the files that this process may have open. The rest is for what
 * must work however many clients connect: the usage spool, the database, uploads and their spool, content
 * being read, the log, outgoing calls.
 */
const CONNECTIONS_PART = 0.5;
/** The fraction of the memory that connections may take. */
const MEMORY_PART = 0.25;
/** What one over TLS takes; it stays with the process when the connection closes, for the next one. */
const CONNECTION_BYTES = 48 * 1024;
/** The fraction of all connections that one listener may hold: filling one leaves room at the others. */
const LISTENER_PART: Record<Listener, number> = { console: 0.4, edge_http: 0.6, edge_https: 0.6, s3: 0.6 };
/**
 * The name server limits its own connections, and closes the least recently active one; it gets this fraction
 * in addition.
 */
const DNS_PART = 0.1;
/**
 * The fraction of all connections that one address may hold when there are few, and a minimum however few
 * there are.
 */
const ADDRESS_PART = 0.25;
const ADDRESS_MIN = 64;
/** With fewer open files than this, an operator is warned at start. */
const LOW_LIMIT = 8192;
const LOG_EVERY_MS = 60_000;

/** The connections of all listeners of the process together. */
export interface ConnectionBudget {
  /** How many files the process may have open. */
  readonly openFilesMax: number;
  /** All listeners together. */
  readonly connectionsMax: number;
  /** What the name server may hold in addition. */
  readonly dnsConnectionsMax: number;
  /** One address (IPv6: its /64) at all listeners together. */
  readonly perAddressMax: number;
  /**
   * Counts a new connection until it closes. Returns false when there is no room: it has then been closed.
   */
  admit(listener: Listener, socket: Socket): boolean;
  /**
   * Counts a request until its response is complete: behind a proxy, whose connections are shared, a visitor
   * may have as many concurrent requests as connections otherwise. Returns false when the visitor already has
   * that many. Without a proxy, only connections count.
   */
  admitRequest(address: string, response: ServerResponse): boolean;
}

export interface ConnectionBudgetParts {
  /** How many files the process may have open. */
  openFilesMax: number;
  /** The operator's own limit. */
  connectionsMax: number;
  /** The operator's own limit per address. */
  connectionsPerAddressMax: number;
  /** Connections come from a proxy, which says who the client is. */
  trustProxy: boolean;
  metrics: Registry;
  logger: Logger;
  clock: Clock;
}

/** Returns how many connections a machine with so much memory has room for. */
export function connectionsThatFit(memoryBytes: number): number {
  return Math.floor((memoryBytes * MEMORY_PART) / CONNECTION_BYTES);
}

/** Returns the budget, which stays below the limit of open files however high the operator's own limit is. */
export function createConnectionBudget(parts: ConnectionBudgetParts): ConnectionBudget {
  const { openFilesMax, metrics, logger, clock } = parts;
  const connectionsMax = Math.min(parts.connectionsMax, Math.floor(openFilesMax * CONNECTIONS_PART));
  const perAddressMax = Math.min(
    parts.connectionsPerAddressMax,
    Math.max(ADDRESS_MIN, Math.floor(connectionsMax * ADDRESS_PART)),
  );
  const addresses = new AddressCounts(perAddressMax);
  const open = new Map<Listener, number>();
  const openAt = (listener: Listener) => open.get(listener) ?? 0;
  const maxAt = (listener: Listener) => Math.max(1, Math.floor(connectionsMax * LISTENER_PART[listener]));
  let openTotal = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;

  const registers = [metrics];
  new Gauge({
    name: 'portage_connections_open',
    help: 'Connections that are open, by listener.',
    labelNames: ['door'],
    registers,
    collect() {
      for (const [listener, count] of open) this.set({ door: listener }, count);
    },
  });
  new Gauge({
    name: 'portage_connections_max',
    help: 'Connections that may be open at all listeners together.',
    registers,
  }).set(connectionsMax);
  const refused = new Counter({
    name: 'portage_connections_refused_total',
    help: 'Connections closed at once because too many were open, by listener.',
    labelNames: ['door'],
    registers,
  });

  const refuse = (listener: Listener, socket: Socket) => {
    // A reset leaves nothing of the connection with us.
    socket.on('error', () => undefined).resetAndDestroy();
    refused.inc({ door: listener });
    if (clock.now() - loggedAt < LOG_EVERY_MS) return;
    loggedAt = clock.now();
    logger.warn(
      { door: listener, open: Object.fromEntries(open), connections_max: connectionsMax },
      'too many connections',
    );
  };

  return {
    openFilesMax,
    connectionsMax,
    perAddressMax,
    dnsConnectionsMax: Math.max(1, Math.floor(connectionsMax * DNS_PART)),
    admit(listener, socket) {
      const isFull = openTotal >= connectionsMax || openAt(listener) >= maxAt(listener);
      if (isFull || !(parts.trustProxy || addresses.admit(socket.remoteAddress, socket))) {
        refuse(listener, socket);
        return false;
      }
      openTotal += 1;
      open.set(listener, openAt(listener) + 1);
      socket.once('close', () => {
        openTotal -= 1;
        open.set(listener, openAt(listener) - 1);
      });
      return true;
    },
    admitRequest: (address, response) => !parts.trustProxy || addresses.admit(address, response),
  };
}

/**
 * Lets a server see only connections that the budget admits. Call it once all 'connection' listeners are
 * attached, before the first connection arrives.
 */
export function guardConnections(budget: ConnectionBudget, listener: Listener, server: Server): void {
  // EventEmitter types listeners as Function; those of 'connection' take a socket by Node's documentation.
  const handlers = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (!budget.admit(listener, socket)) return;
    for (const handle of handlers) handle.call(server, socket);
  });
}

/** Logs at start how many connections fit, and what to do when they are few. */
export function logConnectionBudget(
  { openFilesMax, connectionsMax }: ConnectionBudget,
  logger: Logger,
): void {
  const figures = { open_files: openFilesMax, connections_max: connectionsMax };
  if (openFilesMax >= LOW_LIMIT) logger.info(figures, 'the limit of connections is set');
  else {
    logger.warn(
      figures,
      'the limit of open files is low: raise it with `ulimit -n`, LimitNOFILE of systemd or --ulimit of a container',
    );
  }
}
