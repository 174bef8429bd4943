import type { Socket } from 'node:net';
import { afterGrace } from '../../connections/after-grace.ts';
import type { EdgeParts } from '../edge-exchange.ts';
import type { EdgeLimits } from '../edge-limits.ts';
import { type EdgeConnection, plainConnection } from './edge-connection.ts';
import { FastConnection } from './fast-connection.ts';

/** What the connections of one edge share. */
export interface FastPathOptions {
  readonly parts: EdgeParts;
  readonly limits: EdgeLimits;
  /** Passes a connection to Node's HTTP server permanently. */
  readonly handOver: (socket: Socket, connection: EdgeConnection) => void;
}

/** How often idle connections are counted. */
const SWEEP_MS_MAX = 5_000;

/**
 * Serves plain GET and HEAD requests directly from the socket: twice as fast as Node's request and response
 * objects, and from memory without a promise. A connection that sends anything else, or an incomplete
 * request, is passed to Node's HTTP server with all its bytes and stays there; so this code needs no
 * leniency, no bodies and no header timeout.
 */
export class FastPath {
  readonly options: FastPathOptions;
  readonly sweepMs: number;
  /** True when no connection is kept open after its next response. */
  isClosing = false;
  /** True when no connection may wait for a request either. */
  isGraceOver = false;
  private readonly connections = new Set<FastConnection>();
  private readonly sweeper: NodeJS.Timeout;

  constructor(options: FastPathOptions) {
    this.options = options;
    this.sweepMs = Math.min(SWEEP_MS_MAX, options.limits.headMs / 2, options.limits.idleMs / 2);
    this.sweeper = setInterval(() => this.sweep(), this.sweepMs);
    this.sweeper.unref();
  }

  /** Takes over a new connection; the socket must not have been read from. */
  adopt(socket: Socket, about: EdgeConnection = plainConnection): void {
    const connection = new FastConnection(this, socket, about);
    this.connections.add(connection);
    socket.once('close', () => {
      this.connections.delete(connection);
      connection.settle();
    });
  }

  forget(connection: FastConnection): void {
    this.connections.delete(connection);
  }

  /**
   * Ends connections with their next response, and idle ones after a grace period in which a request may still
   * arrive.
   */
  drain(): void {
    this.isClosing = true;
    const endIdle = () => {
      this.isGraceOver = true;
      clearInterval(this.sweeper);
      for (const connection of this.connections) connection.endWhenIdle();
    };
    afterGrace(this.options.limits.graceMs, endIdle);
  }

  /** Ends a connection whose response took longer than the grace period: its client may already have sent the next request. */
  endAfterGrace(connection: FastConnection): void {
    afterGrace(this.options.limits.graceMs, () => {
      if (this.connections.has(connection)) connection.endWhenIdle();
    });
  }

  destroyAll(): void {
    for (const connection of this.connections) connection.socket.destroy();
  }

  private sweep(): void {
    for (const connection of this.connections) connection.countIdle();
  }
}
