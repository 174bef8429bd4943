import type { Socket } from 'node:net';
import { findReady } from '../find-ready.ts';
import { lastingBytes, readDirectly, readThroughSocket } from './direct-reads.ts';
import type { EdgeConnection } from './edge-connection.ts';
import type { FastPath } from './fast-path.ts';
import { FastResponses, isBackedUp } from './fast-responses.ts';
import { readSimpleRequest, SimpleRequest } from './simple-request.ts';

/** Filled and used synchronously by whichever connection has data. */
const scratch = new SimpleRequest();

/**
 * How many requests of one connection are answered before others have their turn. A read may hold more than a
 * thousand, and a client that sends them without end must not make others wait for all of them.
 */
const REQUESTS_A_TURN = 16;

/** One connection of the fast path: reads its requests, and answers them in order. */
export class FastConnection {
  readonly socket: Socket;
  private readonly fastPath: FastPath;
  private readonly about: EdgeConnection;
  /** True while a response waits for something that is not in memory, or for a client to accept it. */
  private isBusy = false;
  /** True while requests that have arrived wait for the turn of this connection. */
  private isWaiting = false;
  private hasAsked = false;
  private idleSweeps = 0;
  /** Received bytes that cannot be parsed yet; the socket is paused meanwhile. */
  private stash: Buffer | null = null;
  private hasEnded = false;
  /** The current request is the last one: anything else that arrives is dropped. */
  private isLast = false;
  private readonly responses: FastResponses;

  constructor(fastPath: FastPath, socket: Socket, about: EdgeConnection) {
    this.fastPath = fastPath;
    this.socket = socket;
    this.about = about;
    const { parts, limits } = fastPath.options;
    this.responses = new FastResponses(parts, limits.stallMs, socket);
    if (!readDirectly(socket, this.onData)) socket.on('data', this.onData);
    socket.on('drain', this.onDrain);
    socket.on('end', this.onEnd);
    socket.on('timeout', this.onTimeout);
    socket.on('error', this.onError);
  }

  /** Closes a connection that has sent nothing for too long. */
  countIdle(): void {
    if (this.isBusy || this.responses.isStallTimed) return;
    this.idleSweeps += 1;
    const { headMs, idleMs } = this.fastPath.options.limits;
    if (this.idleSweeps * this.fastPath.sweepMs > (this.hasAsked ? idleMs : headMs)) this.socket.destroy();
  }

  endWhenIdle(): void {
    // The next request is the last one.
    if (!this.isBusy && !this.isWaiting) this.socket.end();
  }

  /** Reports to metering, once the connection has closed, what was sent of unfinished responses. */
  settle(): void {
    this.responses.settle();
  }

  private readonly onData = (chunk: Buffer): void => {
    // The connection is ending; Node would treat another response as an error and cut the last one off.
    if (this.isLast || this.socket.writableEnded) return;
    this.idleSweeps = 0;
    if (this.isBusy || this.isWaiting || isBackedUp(this.socket)) {
      this.stash = this.stash === null ? lastingBytes(chunk) : Buffer.concat([this.stash, chunk]);
      this.socket.pause();
      return;
    }
    try {
      this.read(chunk);
    } catch (error) {
      this.breakOff(error);
    }
  };

  private readonly onDrain = (): void => {
    try {
      this.readStash();
    } catch (error) {
      this.breakOff(error);
    }
  };

  private readonly onEnd = (): void => {
    this.hasEnded = true;
    if (!this.isBusy && this.stash === null) this.socket.end();
  };

  private readonly onTimeout = (): void => {
    this.socket.destroy();
  };

  /**
   * Ends the connection after an unexpected error: closing early tells the client that its response is
   * incomplete.
   */
  private breakOff(error: unknown): void {
    this.fastPath.options.parts.logger.error({ err: error }, 'a response broke off');
    this.socket.destroy();
  }

  /** The client disconnected; 'close' follows and cleans up. */
  private readonly onError = (): void => {};

  private read(chunk: Buffer): void {
    const text = chunk.toString('latin1');
    const { parts, limits } = this.fastPath.options;
    scratch.connection = this.about;
    let position = 0;
    let left = REQUESTS_A_TURN;
    do {
      const end = readSimpleRequest(chunk, text, position, scratch);
      if (end === 0 || end - position > limits.headBytesMax) {
        this.leave(lastingBytes(position === 0 ? chunk : chunk.subarray(position)));
        return;
      }
      this.hasAsked = true;
      position = end;
      this.isLast = scratch.isLast || this.fastPath.isClosing;
      const ready = findReady(parts, scratch, scratch.path);
      const work = this.responses.write(scratch, ready, this.isLast);
      if (work !== null) {
        if (position < text.length && !this.isLast) this.stash = lastingBytes(chunk.subarray(position));
        void this.occupy(work);
        return;
      }
      if (this.isLast) {
        this.socket.destroySoon();
        return;
      }
      left -= 1;
      if (position < text.length && (left === 0 || isBackedUp(this.socket))) {
        this.stash = lastingBytes(chunk.subarray(position));
        this.socket.pause();
        if (!isBackedUp(this.socket)) this.waitForTurn();
        return;
      }
    } while (position < text.length);
  }

  private waitForTurn(): void {
    this.isWaiting = true;
    setImmediate(() => {
      this.isWaiting = false;
      this.onDrain();
    });
  }

  private readStash(): void {
    if (
      this.isBusy ||
      this.isWaiting ||
      this.stash === null ||
      isBackedUp(this.socket) ||
      this.socket.destroyed
    )
      return;
    const { stash } = this;
    this.stash = null;
    this.socket.resume();
    this.read(stash);
    if (this.hasEnded && !this.isBusy && this.stash === null) this.socket.end();
  }

  /** Makes requests wait until a response is written. */
  private async occupy(work: Promise<unknown>): Promise<void> {
    const { socket, fastPath } = this;
    this.isBusy = true;
    try {
      await work;
      this.isBusy = false;
      if (this.isLast) socket.destroySoon();
      else if (this.hasEnded && this.stash === null) socket.end();
      // What was looked up in this process took no turn, and the client may have sent thousands of these.
      else if (this.stash !== null) this.waitForTurn();
      else if (fastPath.isGraceOver) fastPath.endAfterGrace(this);
    } catch (error) {
      this.breakOff(error);
    }
  }

  /** Passes the connection and its unread bytes to Node's HTTP server. */
  private leave(unread: Buffer): void {
    const { socket } = this;
    this.fastPath.forget(this);
    if (!readThroughSocket(socket)) socket.off('data', this.onData);
    socket.off('drain', this.onDrain);
    socket.off('end', this.onEnd);
    socket.off('timeout', this.onTimeout);
    socket.off('error', this.onError);
    socket.setTimeout(0);
    this.fastPath.options.handOver(socket, this.about);
    socket.unshift(unread);
    if (socket.isPaused()) socket.resume();
  }
}
