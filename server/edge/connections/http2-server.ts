import type { TLSSocket } from 'node:tls';
import { afterGrace } from '../../connections/after-grace.ts';
import { FairTurns } from '../../connections/fair-turns.ts';
import { type EdgeParts, visitorOf } from '../edge-exchange.ts';
import type { EdgeLimits } from '../edge-limits.ts';
import { CancelLimit } from './cancel-limit.ts';
import type { EdgeConnection } from './edge-connection.ts';
import { StreamConnection } from './http2/stream-connection.ts';
import { StreamRequest } from './http2/stream-request.ts';

/** What the HTTP/2 connections of one edge share. */
export interface Http2ServerOptions {
  readonly parts: EdgeParts;
  readonly limits: EdgeLimits;
}

const HEADER_FIELDS_MAX = 100;
/**
 * How much one turn of the event loop serves, over all connections, in the costs of `stream-connection.ts`:
 * some milliseconds.
 */
const COST_PER_TURN = 320;
/** Connections torn down in one turn: each may have all its streams. */
const ENDS_PER_TURN = 1;
/** Connections read in one turn, of those that send more than a few requests do. */
const READS_PER_TURN = 1;
/** How often stalled and idle connections are checked for. */
const SWEEP_MS_MAX = 5_000;

/** Serves HTTP/2: the same responses as over HTTP/1.1, on many streams of one connection. */
export class Http2Server {
  readonly options: Http2ServerOptions;
  readonly turns = new FairTurns(COST_PER_TURN);
  readonly readTurns = new FairTurns(READS_PER_TURN);
  readonly cancelLimit = new CancelLimit(Date.now);
  /** Filled and used synchronously by whichever connection has data. */
  readonly request: StreamRequest;
  private readonly connections = new Set<StreamConnection>();
  private readonly ends = new FairTurns(ENDS_PER_TURN);
  /** The number of open connections by address. */
  private readonly connectionCounts = new Map<string, number>();
  private readonly sweeper: NodeJS.Timeout;
  private isClosing = false;

  constructor(options: Http2ServerOptions) {
    const { headBytesMax, headMs, idleMs, stallMs } = options.limits;
    this.options = options;
    this.request = new StreamRequest(headBytesMax, HEADER_FIELDS_MAX);
    const sweepMs = Math.min(SWEEP_MS_MAX, headMs / 2, idleMs / 2, stallMs / 2);
    this.sweeper = setInterval(() => this.sweep(), sweepMs);
    this.sweeper.unref();
  }

  /** Takes over a new connection; the socket must not have been read from. */
  adopt(socket: TLSSocket, about: EdgeConnection): void {
    const client = visitorOf(this.options.parts, socket.remoteAddress, '');
    const connection = new StreamConnection(this, socket, about, client, this.streamsFor(client));
    this.connections.add(connection);
    // A client may close many connections at once, each with many waiting streams.
    socket.once('close', () => {
      this.connections.delete(connection);
      this.ends.take(client, () => {
        this.forget(client);
        connection.dispose();
        return true;
      });
    });
    if (this.isClosing) connection.announceEnd();
  }

  /**
   * Tells every client to reconnect elsewhere, serves requests on their way for a grace period, and ends
   * connections after their responses.
   */
  drain(): void {
    this.isClosing = true;
    for (const connection of this.connections) connection.announceEnd();
    const end = () => {
      for (const connection of this.connections) connection.end();
    };
    afterGrace(this.options.limits.graceMs, end);
  }

  destroyAll(): void {
    for (const connection of this.connections) connection.destroy();
  }

  /** Counts a connection of an address until its end, and returns how many streams it may have. */
  private streamsFor(client: string): number {
    const { streamsMax, crowdedStreamsMax, roomyConnectionsPerAddress } = this.options.limits;
    // Behind a proxy that does not identify visitors, connections cannot be told apart.
    if (client === '') return streamsMax;
    const count = (this.connectionCounts.get(client) ?? 0) + 1;
    this.connectionCounts.set(client, count);
    return count <= roomyConnectionsPerAddress ? streamsMax : Math.min(streamsMax, crowdedStreamsMax);
  }

  private forget(client: string): void {
    const others = (this.connectionCounts.get(client) ?? 1) - 1;
    if (others === 0) this.connectionCounts.delete(client);
    else this.connectionCounts.set(client, others);
  }

  private sweep(): void {
    const now = performance.now();
    for (const connection of this.connections) connection.sweep(now);
    if (this.isClosing && this.connections.size === 0) clearInterval(this.sweeper);
  }
}
