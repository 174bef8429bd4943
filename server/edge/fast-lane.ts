import type { Socket } from 'node:net';
import { type EdgeConnection, plainConnection } from './edge-connection.ts';
import type { EdgeParts } from './edge-exchange.ts';
import type { EdgeLimits } from './edge-limits.ts';
import { FastConnection } from './fast-connection.ts';

/** What the connections of one edge share. */
export interface FastLaneOptions {
  readonly parts: EdgeParts;
  readonly limits: EdgeLimits;
  /** Gives a connection to node's HTTP server for good. */
  readonly handOver: (socket: Socket, connection: EdgeConnection) => void;
}

/** How often idle connections are counted. */
const sweepMsMax = 5_000;

/**
 * Serves plain GET and HEAD requests straight from the socket: twice as fast as node's request and response objects, and from
 * memory without a promise. A connection that sends anything else, or half a request, goes to node's HTTP server with all its
 * bytes and stays there; so this code needs no leniency, no bodies and no header timeout.
 */
export class FastLane {
  readonly options: FastLaneOptions;
  readonly sweepMs: number;
  /** No connection is kept open beyond its next answer. */
  isClosing = false;
  /** Nor is one that waits for a request. */
  isGraceOver = false;
  private readonly connections = new Set<FastConnection>();
  private readonly sweeper: NodeJS.Timeout;

  constructor(options: FastLaneOptions) {
    this.options = options;
    this.sweepMs = Math.min(sweepMsMax, options.limits.headMs / 2, options.limits.idleMs / 2);
    this.sweeper = setInterval(() => this.sweep(), this.sweepMs);
    this.sweeper.unref();
  }

  /** Takes a new connection; the socket must not have been read from. */
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

  /** Ends connections with their next answer, idle ones after a grace in which one may be asked for. */
  drain(): void {
    this.isClosing = true;
    const endIdle = () => {
      this.isGraceOver = true;
      clearInterval(this.sweeper);
      for (const connection of this.connections) connection.endWhenIdle();
    };
    setTimeout(endIdle, this.options.limits.graceMs).unref();
  }

  destroyAll(): void {
    for (const connection of this.connections) connection.socket.destroy();
  }

  private sweep(): void {
    for (const connection of this.connections) connection.countIdle();
  }
}
