import type { Socket } from 'node:net';
import { answerRequest } from './answer-request.ts';
import { type EdgeConnection, plainConnection } from './edge-connection.ts';
import type { EdgeParts, EdgeReply } from './edge-exchange.ts';
import type { EdgeLimits } from './edge-limits.ts';
import { findReady, recordReady } from './find-ready.ts';
import { formatHead, type ReadyVariant, stampDate } from './ready-answer.ts';
import { recordReply } from './record-reply.ts';
import { sendBlob } from './send-blob.ts';
import { readSimpleRequest, SimpleRequest } from './simple-request.ts';

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
  isClosing = false;
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
    socket.once('close', () => this.connections.delete(connection));
  }

  forget(connection: FastConnection): void {
    this.connections.delete(connection);
  }

  /** Ends idle connections now and the others after their answer. */
  drain(): void {
    this.isClosing = true;
    clearInterval(this.sweeper);
    for (const connection of this.connections) connection.endWhenIdle();
  }

  destroyAll(): void {
    for (const connection of this.connections) connection.socket.destroy();
  }

  private sweep(): void {
    for (const connection of this.connections) connection.countIdle();
  }
}

/** Filled and used up synchronously by whichever connection has data. */
const scratch = new SimpleRequest();

class FastConnection {
  readonly socket: Socket;
  private readonly lane: FastLane;
  private readonly about: EdgeConnection;
  /** True while an answer waits for something that is not in memory. */
  private isBusy = false;
  private isStallTimed = false;
  private hasAsked = false;
  private idleSweeps = 0;
  /** What arrived and cannot be looked at yet; the socket is paused meanwhile. */
  private stash: Buffer | null = null;
  private hasEnded = false;

  constructor(lane: FastLane, socket: Socket, about: EdgeConnection) {
    this.lane = lane;
    this.socket = socket;
    this.about = about;
    socket.on('data', this.onData);
    socket.on('drain', this.onDrain);
    socket.on('end', this.onEnd);
    socket.on('timeout', this.onTimeout);
    socket.on('error', this.onError);
  }

  /** Closes a connection that has asked nothing for too long. */
  countIdle(): void {
    if (this.isBusy || this.isStallTimed) return;
    this.idleSweeps += 1;
    const { headMs, idleMs } = this.lane.options.limits;
    if (this.idleSweeps * this.lane.sweepMs > (this.hasAsked ? idleMs : headMs)) this.socket.destroy();
  }

  endWhenIdle(): void {
    if (!this.isBusy) this.socket.end();
  }

  private readonly onData = (chunk: Buffer): void => {
    // The edge has said its last word on this connection; node would take a further answer for an error and cut the last one off.
    if (this.socket.writableEnded) return;
    this.idleSweeps = 0;
    if (this.isBusy || this.isBackedUp()) {
      this.stash = this.stash === null ? chunk : Buffer.concat([this.stash, chunk]);
      this.socket.pause();
    } else this.read(chunk);
  };

  private readonly onDrain = (): void => this.readStash();

  private readonly onEnd = (): void => {
    this.hasEnded = true;
    if (!this.isBusy && this.stash === null) this.socket.end();
  };

  private readonly onTimeout = (): void => {
    this.socket.destroy();
  };

  /** The client went away; 'close' follows and cleans up. */
  private readonly onError = (): void => {};

  private isBackedUp(): boolean {
    return this.socket.writableLength >= this.socket.writableHighWaterMark;
  }

  private read(chunk: Buffer): void {
    const text = chunk.toString('latin1');
    const { headBytesMax } = this.lane.options.limits;
    scratch.connection = this.about;
    let position = 0;
    do {
      const end = readSimpleRequest(chunk, text, position, scratch);
      if (end === 0 || end - position > headBytesMax) {
        this.leave(position === 0 ? chunk : chunk.subarray(position));
        return;
      }
      this.hasAsked = true;
      position = end;
      const reply = this.answerFromMemory(scratch)
        ? null
        : answerRequest(this.lane.options.parts, { ...scratch });
      if (reply !== null) {
        if (reply instanceof Promise || reply.blob !== null) {
          if (position < text.length) this.stash = chunk.subarray(position);
          this.finish(reply, scratch.method === 'HEAD');
          return;
        }
        this.writeReply(reply);
      }
      if (this.lane.isClosing) {
        this.socket.end();
        return;
      }
      if (position < text.length && this.isBackedUp()) {
        this.stash = chunk.subarray(position);
        this.socket.pause();
        return;
      }
    } while (position < text.length);
  }

  private readStash(): void {
    if (this.isBusy || this.stash === null || this.isBackedUp()) return;
    const { stash } = this;
    this.stash = null;
    this.socket.resume();
    this.read(stash);
    if (this.hasEnded && !this.isBusy && this.stash === null) this.socket.end();
  }

  /** The hot path: no allocation but what the socket needs. False when the answer is not ready. */
  private answerFromMemory(request: SimpleRequest): boolean {
    const { parts } = this.lane.options;
    const ready = findReady(parts, request, request.path);
    if (ready === null) return false;
    this.writeVariant(ready.variant, ready.isModified);
    recordReady(ready);
    return true;
  }

  private writeVariant(variant: ReadyVariant, isModified: boolean): void {
    const { socket } = this;
    const { clock } = this.lane.options.parts;
    if (variant.second !== clock.second) stampDate(variant, clock);
    variant.wasUsed = true;
    if (!isModified) socket.write(variant.notModified);
    else if (variant.body?.body) {
      variant.body.wasUsed = true;
      socket.cork();
      socket.write(variant.wire);
      socket.write(variant.body.body);
      socket.uncork();
    } else socket.write(variant.wire);
    if (socket.writableLength > 0) {
      variant.isHeld = true;
      if (this.isBackedUp()) this.timeStalls();
    }
  }

  private writeReply(reply: EdgeReply): void {
    this.writeHeadAndBody(reply);
    recordReply(reply, reply.body?.length ?? 0);
  }

  private writeHeadAndBody(reply: EdgeReply): void {
    const { socket } = this;
    const head = formatHead(reply.status, reply.headers, this.lane.options.parts.clock.date);
    if (reply.body === null) socket.write(head, 'latin1');
    else {
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(reply.body);
      socket.uncork();
    }
    if (this.isBackedUp()) this.timeStalls();
  }

  /** From here on a connection that moves no byte for `stallMs` is closed; the timer also ends it when idle. */
  private timeStalls(): void {
    if (this.isStallTimed) return;
    this.isStallTimed = true;
    this.socket.setTimeout(this.lane.options.limits.stallMs);
  }

  private async finish(pending: EdgeReply | Promise<EdgeReply>, isHead: boolean): Promise<void> {
    const { socket } = this;
    this.isBusy = true;
    try {
      const reply = await pending;
      if (reply.blob === null) {
        this.writeReply(reply);
      } else {
        this.timeStalls();
        if (!socket.destroyed) this.writeHeadAndBody(reply);
        const sent = await sendBlob(reply.blob, socket);
        recordReply(reply, isHead ? 0 : sent);
      }
    } catch (error) {
      // The head is out: only closing early tells the client that the body is not whole.
      this.lane.options.parts.logger.error({ err: error }, 'an answer broke off');
      socket.destroy();
    }
    this.isBusy = false;
    if (this.lane.isClosing || (this.hasEnded && this.stash === null)) socket.end();
    else this.readStash();
  }

  /** Gives the connection and its unread bytes to node's HTTP server. */
  private leave(unread: Buffer): void {
    const { socket } = this;
    this.lane.forget(this);
    socket.off('data', this.onData);
    socket.off('drain', this.onDrain);
    socket.off('end', this.onEnd);
    socket.off('timeout', this.onTimeout);
    socket.off('error', this.onError);
    socket.setTimeout(0);
    this.lane.options.handOver(socket, this.about);
    socket.unshift(unread);
    if (socket.isPaused()) socket.resume();
  }
}
