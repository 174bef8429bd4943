import type { Socket } from 'node:net';
import { answerRequest } from '../answer-request.ts';
import {
  bodyBytesOf,
  type EdgeParts,
  type EdgeReply,
  type EdgeRequest,
  visitorOf,
} from '../edge-exchange.ts';
import type { ReadyHit } from '../find-ready.ts';
import type { Transfer, TransferConnection } from '../memory/transfer-memory.ts';
import { TOO_BUSY_RESPONSE } from '../observer.ts';
import type { EdgeMeter, EdgeResponseRecord } from '../ports.ts';
import { asLastResponse, formatHead, stampDate } from '../ready-response.ts';
import type { ResponseMetering } from '../response-metering.ts';
import { PIECE_BYTES, sendBlob, sendBytes } from '../send-body.ts';
import { ConnectionMetering } from './connection-metering.ts';
import type { SimpleRequest } from './simple-request.ts';

/** With a 503, while too many responses wait for slow clients. */
const TOO_BUSY_HEADERS = ['Retry-After', '5', 'Content-Length', '0'];

/** Returns whether the socket holds so much that nothing more is to be written yet. */
export function isBackedUp(socket: Socket): boolean {
  return socket.writableLength >= socket.writableHighWaterMark;
}

/** Writes the responses of one connection of the fast path, one after another. */
export class FastResponses {
  private readonly parts: EdgeParts;
  private readonly stallMs: number;
  private readonly socket: Socket;
  private readonly metering: ConnectionMetering;
  private transfers: TransferConnection | null = null;
  /** The last response of the connection, which says so. */
  private isLast = false;
  /** From the current request, as sent by a proxy in front. */
  private forwardedFor = '';
  /** True from the first response that had to wait: from then on the socket times itself, idle or not. */
  isStallTimed = false;

  /** @param stallMs how long a connection may move no byte once a response has had to wait */
  constructor(parts: EdgeParts, stallMs: number, socket: Socket) {
    this.parts = parts;
    this.stallMs = stallMs;
    this.socket = socket;
    this.metering = new ConnectionMetering(socket);
  }

  /** Reports to metering, once the connection has closed, what was sent of unfinished responses. */
  settle(): void {
    this.metering.settle();
  }

  /**
   * Answers a request: with `ready`, if that is in memory. Returns the promise to wait for before the next one,
   * or null. The request may be reused when this returns.
   */
  write(request: SimpleRequest, ready: ReadyHit | null, isLast: boolean): Promise<unknown> | null {
    this.isLast = isLast;
    this.forwardedFor = request.forwardedFor;
    return ready === null ? this.answer({ ...request }) : this.writeReady(request, ready);
  }

  /** The hot path: allocates only what the socket needs. Returns the promise to wait for, or null. */
  private writeReady(
    request: EdgeRequest,
    { entry, variant, isModified }: ReadyHit,
  ): Promise<unknown> | null {
    const { socket } = this;
    const { clock, observer } = this.parts;
    const meter = entry.host?.meter ?? null;
    if (variant.second !== clock.second) stampDate(variant, clock);
    variant.wasUsed = true;
    let work: Promise<unknown> | null = null;
    const shared = isModified ? variant.wire : variant.notModified;
    const record = isModified ? variant.record : variant.notModifiedRecord;
    observer.answered(request, record, isModified ? variant.bodyBytes : 0, 0, socket);
    const wire = this.isLast ? asLastResponse(shared, isModified ? 200 : 304) : shared;
    if (isModified && variant.body?.body) {
      variant.body.wasUsed = true;
      work = this.writePieces(wire, variant.body.body, meter, variant.record);
    } else {
      socket.write(wire, this.metering.count(meter, record, wire.length));
    }
    if (socket.writableLength > 0) {
      variant.isHeld = true;
      if (isBackedUp(socket)) this.timeStalls();
    }
    return work;
  }

  private answer(request: EdgeRequest): Promise<unknown> | null {
    const startedAt = performance.now();
    const reply = answerRequest(this.parts, request, this.socket);
    const write = (found: EdgeReply) => this.writeReply(request, found, performance.now() - startedAt);
    return reply instanceof Promise ? reply.then(write) : write(reply);
  }

  /** @param ms how long the response took */
  private writeReply(request: EdgeRequest, reply: EdgeReply, ms: number): Promise<unknown> | null {
    const { socket } = this;
    const { observer } = this.parts;
    const { status, headers, body, blob } = reply;
    if (socket.destroyed) {
      blob?.lease.release();
      return null;
    }
    const meter = reply.entry?.host?.meter ?? null;
    const head = formatHead(status, headers, this.parts.clock.date, this.isLast);
    let work: Promise<unknown> | null = null;
    const transfer = blob === null ? null : this.beginTransfer();
    const isTooBusy = blob !== null && transfer === null;
    if (isTooBusy) observer.answered(request, TOO_BUSY_RESPONSE, 0, ms, socket);
    else observer.answered(request, reply, bodyBytesOf(reply), ms, socket);
    if (isTooBusy) this.refuse(blob);
    else if (blob !== null && transfer !== null) work = this.writeBlob(head, blob, transfer, meter, reply);
    else if (body !== null) work = this.writePieces(head, body, meter, reply);
    else socket.write(head, 'latin1', this.metering.count(meter, reply, head.length));
    if (isBackedUp(socket)) this.timeStalls();
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
    const { clock } = this.parts;
    blob.lease.release();
    this.socket.write(formatHead(503, TOO_BUSY_HEADERS, clock.date, this.isLast), 'latin1');
  }

  /** Returns null when nothing more may wait in memory for this client. */
  private beginTransfer(): Transfer | null {
    const visitor = visitorOf(this.parts, this.socket.remoteAddress, this.forwardedFor);
    this.transfers ??= this.parts.transfers.connection();
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
    this.socket.setTimeout(this.stallMs);
  }
}
