import type { TLSSocket } from 'node:tls';
import { answerRequest } from '../../answer-request.ts';
import { bodyBytesOf, type EdgeReply, type EdgeRequest, reply } from '../../edge-exchange.ts';
import { findReady, type ReadyHit } from '../../find-ready.ts';
import type { HostEntry } from '../../host-directory.ts';
import type { TransferConnection } from '../../memory/transfer-memory.ts';
import type { EdgeResponseRecord } from '../../ports.ts';
import type { ReadyVariant } from '../../ready-response.ts';
import { sendBlob } from '../../send-body.ts';
import type { Http2Server } from '../http2-server.ts';
import type { EdgeStream } from './edge-stream.ts';
import { ERROR } from './frames.ts';
import { encodeHead } from './header-encoder.ts';
import { readyHead } from './ready-head.ts';
import type { StreamOutput } from './stream-output.ts';
import type { StreamRequest } from './stream-request.ts';

/** A stream is served in pieces, and each of them may take this many times `stallMs`. */
const PIECE_STALLS = 2;

const HEAD_TOO_LARGE = reply({
  status: 431,
  headers: ['Content-Length', '0'],
  entry: null,
  isCacheHit: true,
});

/** An encoded head, the body that is sent with it from memory, and what the response counts for. */
interface StreamResponse {
  readonly head: Buffer;
  readonly body: Uint8Array | null;
  /** Of the whole body, also where it is streamed afterwards. */
  readonly bodyBytes: number;
  readonly entry: HostEntry | null;
  readonly record: EdgeResponseRecord;
}

/** What responses need of their connection. */
export interface AnsweredConnection {
  /** Runs work and sends its result; an error ends the connection. */
  attempt(work: () => void): void;
  /** Cancels a stream and tells the client why. */
  reset(stream: EdgeStream, code: number): void;
}

/** Answers the streams of one HTTP/2 connection. */
export class StreamResponses {
  private readonly server: Http2Server;
  private readonly socket: TLSSocket;
  private readonly output: StreamOutput;
  private readonly connection: AnsweredConnection;
  private readonly transfers: TransferConnection;

  constructor(server: Http2Server, socket: TLSSocket, output: StreamOutput, connection: AnsweredConnection) {
    this.server = server;
    this.socket = socket;
    this.output = output;
    this.connection = connection;
    this.transfers = server.options.parts.transfers.connection();
  }

  /** Sends a response that is ready in memory; returns false when it must wait. */
  sendReady(streamId: number, request: StreamRequest, { entry, variant, isModified }: ReadyHit): boolean {
    const { clock, observer } = this.server.options.parts;
    const head = readyHead(variant, isModified, clock);
    const record = isModified ? variant.record : variant.notModifiedRecord;
    const body = isModified ? readyBody(variant) : null;
    const meter = entry.host?.meter ?? null;
    if (!this.output.sendWhole(streamId, head, body, meter, record)) return false;
    observer.answered(request, record, body?.length ?? 0, 0, this.socket);
    return true;
  }

  /** Answers a request in its turn. */
  serve(stream: EdgeStream, request: EdgeRequest, path: string, visitor: string): void {
    const { parts } = this.server.options;
    stream.transfer = this.transfers.begin(visitor, () =>
      this.connection.attempt(() => this.connection.reset(stream, ERROR.CANCEL)),
    );
    if (stream.transfer === null) {
      // Nothing was done for it, so the client may retry.
      this.connection.reset(stream, ERROR.REFUSED_STREAM);
      return;
    }
    const ready = findReady(parts, request, path);
    if (ready !== null) {
      this.writeReady(stream, request, ready);
      return;
    }
    const startedAt = performance.now();
    const write = (reply: EdgeReply) => {
      const ms = performance.now() - startedAt;
      parts.observer.answered(request, reply, bodyBytesOf(reply), ms, this.socket);
      this.writeReply(stream, reply);
    };
    const reply = answerRequest(parts, request, this.socket);
    if (reply instanceof Promise) reply.then((found) => this.connection.attempt(() => write(found)));
    else write(reply);
  }

  private writeReady(
    stream: EdgeStream,
    request: EdgeRequest,
    { entry, variant, isModified }: ReadyHit,
  ): void {
    const { clock, observer } = this.server.options.parts;
    const record = isModified ? variant.record : variant.notModifiedRecord;
    const body = isModified ? readyBody(variant) : null;
    observer.answered(request, record, body?.length ?? 0, 0, this.socket);
    const head = readyHead(variant, isModified, clock);
    this.write(stream, { head, body, bodyBytes: body?.length ?? 0, entry, record });
  }

  private writeReply(stream: EdgeStream, reply: EdgeReply): void {
    const { body, blob, entry } = reply;
    const { logger } = this.server.options.parts;
    const fail = (error: unknown) => {
      logger.error({ err: error }, 'a response broke off');
      this.connection.reset(stream, ERROR.INTERNAL_ERROR);
    };
    if (stream.destroyed) {
      blob?.lease.release();
      return;
    }
    try {
      const head = encodeHead(reply.status, reply.headers, this.server.options.parts.clock.date);
      this.write(stream, { head, body, bodyBytes: bodyBytesOf(reply), entry, record: reply });
    } catch (error) {
      // Some names and values cannot be sent, and an earlier version of the program may have stored them.
      blob?.lease.release();
      fail(error);
      return;
    }
    const { transfer } = stream;
    if (blob === null || transfer === null) return;
    const ms = this.server.options.limits.stallMs * PIECE_STALLS;
    const stall = {
      ms,
      end: () => this.connection.attempt(() => this.connection.reset(stream, ERROR.CANCEL)),
    };
    sendBlob(blob, stream, { transfer, onSent: () => {}, stall }).catch((error: unknown) =>
      this.connection.attempt(() => fail(error)),
    );
  }

  private write(stream: EdgeStream, { head, body, bodyBytes, entry, record }: StreamResponse): void {
    stream.head = head;
    stream.body = body;
    stream.bodyBytesLeft = bodyBytes;
    stream.meter = entry?.host?.meter ?? null;
    stream.record = record;
    stream.movedAt = performance.now();
    this.output.enqueue(stream);
  }

  /** Answers a request whose head is too large to be read. */
  refuseHead(stream: EdgeStream): void {
    this.writeReply(stream, HEAD_TOO_LARGE);
  }
}

/** Returns the body of a ready response, marked as used. */
function readyBody(variant: ReadyVariant): Uint8Array | null {
  const { body, wire, bodyBytes } = variant;
  variant.wasUsed = true;
  if (body === null) return wire.subarray(wire.length - bodyBytes);
  body.wasUsed = true;
  return body.body;
}
