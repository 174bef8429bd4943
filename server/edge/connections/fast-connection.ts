import type { Socket } from 'node:net';
import { answerRequest } from '../answer-request.ts';
import { bodyBytesOf, type EdgeReply, type EdgeRequest, visitorOf } from '../edge-exchange.ts';
import { findReady, type ReadyHit } from '../find-ready.ts';
import type { Transfer, TransferConnection } from '../memory/transfer-memory.ts';
import { TOO_BUSY_RESPONSE } from '../observer.ts';
import type { EdgeMeter, EdgeResponseRecord } from '../ports.ts';
import { asLastResponse, formatHead, stampDate } from '../ready-response.ts';
import type { ResponseMetering } from '../response-metering.ts';
import { PIECE_BYTES, sendBlob, sendBytes } from '../send-body.ts';
import { ConnectionMetering } from './connection-metering.ts';
import { lastingBytes, readDirectly, readThroughSocket } from './direct-reads.ts';
import type { EdgeConnection } from './edge-connection.ts';
import type { FastPath } from './fast-path.ts';
import { readSimpleRequest, SimpleRequest } from './simple-request.ts';

/** Filled and used synchronously by whichever connection has data. */
const scratch = new SimpleRequest();

/**
 * How many requests of one connection are answered before others have their turn. A read may hold more than a
 * thousand, and a client that sends them without end must not make others wait for all of them.
 */
const REQUESTS_A_TURN = 16;

/** With a 503, while too many responses wait for slow clients. */
const TOO_BUSY_HEADERS = ['Retry-After', '5', 'Content-Length', '0'];

/** One connection of the fast path. */
export class FastConnection {
  readonly socket: Socket;
  private readonly fastPath: FastPath;
  private readonly about: EdgeConnection;
  /** True while a response waits for something that is not in memory, or for a client to accept it. */
  private isBusy = false;
  /** True while requests that have arrived wait for the turn of this connection. */
  private isWaiting = false;
  private isStallTimed = false;
  private hasAsked = false;
  private idleSweeps = 0;
  /** Received bytes that cannot be parsed yet; the socket is paused meanwhile. */
  private stash: Buffer | null = null;
  private hasEnded = false;
  /** The current request is the last one: anything else that arrives is dropped. */
  private isLast = false;
  private readonly metering: ConnectionMetering;
  private transfers: TransferConnection | null = null;
  /** From the current request, as sent by a proxy in front. */
  private forwardedFor = '';

  constructor(fastPath: FastPath, socket: Socket, about: EdgeConnection) {
    this.fastPath = fastPath;
    this.socket = socket;
    this.about = about;
    this.metering = new ConnectionMetering(socket);
    if (!readDirectly(socket, this.onData)) socket.on('data', this.onData);
    socket.on('drain', this.onDrain);
    socket.on('end', this.onEnd);
    socket.on('timeout', this.onTimeout);
    socket.on('error', this.onError);
  }

  /** Closes a connection that has sent nothing for too long. */
  countIdle(): void {
    if (this.isBusy || this.isStallTimed) return;
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
    this.metering.settle();
  }

  private readonly onData = (chunk: Buffer): void => {
    // The connection is ending; Node would treat another response as an error and cut the last one off.
    if (this.isLast || this.socket.writableEnded) return;
    this.idleSweeps = 0;
    if (this.isBusy || this.isWaiting || this.isBackedUp()) {
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
    this.fastPath.options.parts.logger.error({ err: error }, 'an answer broke off');
    this.socket.destroy();
  }

  /** The client disconnected; 'close' follows and cleans up. */
  private readonly onError = (): void => {};

  private isBackedUp(): boolean {
    return this.socket.writableLength >= this.socket.writableHighWaterMark;
  }

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
      this.forwardedFor = scratch.forwardedFor;
      const ready = findReady(parts, scratch, scratch.path);
      const work = ready === null ? this.answer() : this.writeReady(ready);
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
      if (position < text.length && (left === 0 || this.isBackedUp())) {
        this.stash = lastingBytes(chunk.subarray(position));
        this.socket.pause();
        if (!this.isBackedUp()) this.waitForTurn();
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
    if (this.isBusy || this.isWaiting || this.stash === null || this.isBackedUp() || this.socket.destroyed)
      return;
    const { stash } = this;
    this.stash = null;
    this.socket.resume();
    this.read(stash);
    if (this.hasEnded && !this.isBusy && this.stash === null) this.socket.end();
  }

  /** The hot path: allocates only what the socket needs. Returns the promise to wait for, or null. */
  private writeReady({ entry, variant, isModified }: ReadyHit): Promise<unknown> | null {
    const { socket } = this;
    const { clock, observer } = this.fastPath.options.parts;
    const meter = entry.host?.meter ?? null;
    if (variant.second !== clock.second) stampDate(variant, clock);
    variant.wasUsed = true;
    let work: Promise<unknown> | null = null;
    const shared = isModified ? variant.wire : variant.notModified;
    const record = isModified ? variant.record : variant.notModifiedRecord;
    observer.answered(scratch, record, isModified ? variant.bodyBytes : 0, 0, socket);
    const wire = this.isLast ? asLastResponse(shared, isModified ? 200 : 304) : shared;
    if (isModified && variant.body?.body) {
      variant.body.wasUsed = true;
      work = this.writePieces(wire, variant.body.body, meter, variant.record);
    } else {
      socket.write(wire, this.metering.count(meter, record, wire.length));
    }
    if (socket.writableLength > 0) {
      variant.isHeld = true;
      if (this.isBackedUp()) this.timeStalls();
    }
    return work;
  }

  private answer(): Promise<unknown> | null {
    const request: EdgeRequest = { ...scratch };
    const startedAt = performance.now();
    const reply = answerRequest(this.fastPath.options.parts, request);
    const write = (found: EdgeReply) => this.writeReply(request, found, performance.now() - startedAt);
    return reply instanceof Promise ? reply.then(write) : write(reply);
  }

  /** @param ms how long the response took */
  private writeReply(request: EdgeRequest, reply: EdgeReply, ms: number): Promise<unknown> | null {
    const { socket } = this;
    const { observer } = this.fastPath.options.parts;
    const { status, headers, body, blob } = reply;
    if (socket.destroyed) {
      blob?.lease.release();
      return null;
    }
    const meter = reply.entry?.host?.meter ?? null;
    const head = formatHead(status, headers, this.fastPath.options.parts.clock.date, this.isLast);
    let work: Promise<unknown> | null = null;
    const transfer = blob === null ? null : this.beginTransfer();
    const isTooBusy = blob !== null && transfer === null;
    if (isTooBusy) observer.answered(request, TOO_BUSY_RESPONSE, 0, ms, socket);
    else observer.answered(request, reply, bodyBytesOf(reply), ms, socket);
    if (isTooBusy) this.refuse(blob);
    else if (blob !== null && transfer !== null) work = this.writeBlob(head, blob, transfer, meter, reply);
    else if (body !== null) work = this.writePieces(head, body, meter, reply);
    else socket.write(head, 'latin1', this.metering.count(meter, reply, head.length));
    if (this.isBackedUp()) this.timeStalls();
    return work;
  }

  /**
   * Writes a head with its body: the rest follows the first piece when that was accepted immediately, because
   * fewer and larger writes cost less, and piece by piece otherwise. Returns the promise to wait for, or
   * null.
   */
  private writePieces(
    head: Buffer | string,
    body: Buffer,
    meter: EdgeMeter | null,
    record: EdgeResponseRecord,
  ): Promise<unknown> | null {
    const { socket } = this;
    const isWhole = body.length <= PIECE_BYTES;
    const metering = isWhole ? null : this.metering.begin(meter, record);
    const written = isWhole ? this.metering.count(meter, record, head.length + body.length) : undefined;
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(isWhole ? body : body.subarray(0, PIECE_BYTES), written);
    socket.uncork();
    if (isWhole) return null;
    const rest = body.subarray(PIECE_BYTES);
    const isQuick = socket.writableLength === 0;
    if (isQuick) socket.write(rest);
    metering?.settle();
    if (isQuick) return null;
    const transfer = this.beginTransfer();
    if (transfer === null) {
      // The head has been sent: only closing early tells the client that the body is incomplete.
      socket.destroy();
      return null;
    }
    this.timeStalls();
    return this.follow(metering, transfer, (onSent) => sendBytes(rest, socket, { transfer, onSent }));
  }

  private writeBlob(
    head: string,
    blob: NonNullable<EdgeReply['blob']>,
    transfer: Transfer,
    meter: EdgeMeter | null,
    record: EdgeResponseRecord,
  ): Promise<unknown> {
    const { socket } = this;
    const metering = this.metering.begin(meter, record);
    this.timeStalls();
    socket.write(head, 'latin1');
    metering?.settle();
    return this.follow(metering, transfer, (onSent) => sendBlob(blob, socket, { transfer, onSent }));
  }

  private refuse(blob: NonNullable<EdgeReply['blob']>): void {
    const { clock } = this.fastPath.options.parts;
    blob.lease.release();
    this.socket.write(formatHead(503, TOO_BUSY_HEADERS, clock.date, this.isLast), 'latin1');
  }

  /** Returns null when nothing more may wait in memory for this client. */
  private beginTransfer(): Transfer | null {
    const { parts } = this.fastPath.options;
    const visitor = visitorOf(parts, this.socket.remoteAddress, this.forwardedFor);
    this.transfers ??= parts.transfers.connection();
    return this.transfers.begin(visitor, () => this.socket.destroy());
  }

  /** Reports the progress of a response to metering, and releases what it held. */
  private async follow(
    metering: ResponseMetering | null,
    transfer: Transfer,
    send: (onSent: () => void) => Promise<unknown>,
  ): Promise<void> {
    try {
      await this.metering.follow(metering, send);
    } finally {
      transfer.end();
    }
  }

  /**
   * From here on, a connection that moves no byte for `stallMs` is closed; the timer also ends it when idle.
   */
  private timeStalls(): void {
    if (this.isStallTimed) return;
    this.isStallTimed = true;
    this.socket.setTimeout(this.fastPath.options.limits.stallMs);
  }

  /** Makes requests wait until a response is written. */
  private async occupy(work: Promise<unknown>): Promise<void> {
    const { socket, fastPath } = this;
    this.isBusy = true;
    try {
      await work;
      this.isBusy = false;
      if (this.isLast) socket.destroySoon();
      else if (fastPath.isGraceOver || (this.hasEnded && this.stash === null)) socket.end();
      // What was looked up in this process took no turn, and the client may have sent thousands of these.
      else if (this.stash !== null) this.waitForTurn();
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
