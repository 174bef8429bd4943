import {
  constants,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { answerRequest } from './answer-request.ts';
import type { EdgeConnection } from './edge-connection.ts';
import type { EdgeParts, EdgeReply, EdgeRequest } from './edge-exchange.ts';
import type { EdgeLimits } from './edge-limits.ts';
import { findReady, type ReadyHit, recordReady } from './find-ready.ts';
import { recordReply } from './record-reply.ts';
import { sendBlob } from './send-blob.ts';
import { readStreamRequest, type StreamHeaders } from './stream-request.ts';

/** What the HTTP/2 connections of one edge share. */
export interface StreamLaneOptions {
  readonly parts: EdgeParts;
  readonly limits: EdgeLimits;
}

/** Streams a client may take back at once, and every second from then on; beyond it the connection is closed (CVE-2023-44487). */
const resetBurst = 500;
const resetsPerSecond = 30;
/** A stream says nothing of single bytes, and several share a line: a chunk may take this many times `stallMs`. */
const chunkStalls = 2;
/** For heads and frames of one connection. */
const ownMebibytes = 4;
const headerPairsMax = 100;
const settingsMax = 16;
const pingsMax = 5;

/** Serves HTTP/2: the same answers as the other lanes, on many streams of one connection. */
export class StreamLane {
  private readonly options: StreamLaneOptions;
  private readonly sessions = new Set<ServerHttp2Session>();
  private isClosing = false;

  constructor(options: StreamLaneOptions) {
    this.options = options;
  }

  /** Takes a new connection; the socket must not have been read from. */
  adopt(socket: TLSSocket, about: EdgeConnection): void {
    const { limits } = this.options;
    const session = performServerHandshake(socket, {
      // Node counts bodies that wait, though they are shared: every stream may wait with the largest one kept in memory.
      maxSessionMemory: ownMebibytes + Math.ceil((limits.streamsMax * limits.cachedFileBytesMax) / 1024 ** 2),
      maxHeaderListPairs: headerPairsMax,
      maxOutstandingPings: pingsMax,
      maxSettings: settingsMax,
      streamResetBurst: resetBurst,
      streamResetRate: resetsPerSecond,
      settings: {
        enablePush: false,
        maxConcurrentStreams: limits.streamsMax,
        maxHeaderListSize: limits.headBytesMax,
      },
    });
    let streams = 0;
    this.sessions.add(session);
    session.on('close', () => this.sessions.delete(session));
    // The client broke a rule or went away; 'close' follows.
    session.on('error', () => {});
    session.on('stream', (stream: ServerHttp2Stream, headers: StreamHeaders) => {
      if (streams === 0) session.setTimeout(limits.idleMs);
      streams += 1;
      stream.on('close', () => {
        streams -= 1;
      });
      this.serve(stream, readStreamRequest(headers, about));
    });
    session.setTimeout(limits.headMs);
    session.on('timeout', () => {
      if (streams === 0) session.close();
      else session.destroy();
    });
    if (this.isClosing) session.close();
  }

  /** Ends idle connections now and the others after their answers. */
  drain(): void {
    this.isClosing = true;
    for (const session of this.sessions) session.close();
  }

  destroyAll(): void {
    for (const session of this.sessions) session.destroy();
  }

  private serve(stream: ServerHttp2Stream, request: EdgeRequest): void {
    // The client took the stream back or went away; 'close' follows and tells sendBlob.
    stream.on('error', () => {});
    const { parts } = this.options;
    const mark = request.target.indexOf('?');
    const ready = findReady(parts, request, mark < 0 ? request.target : request.target.slice(0, mark));
    if (ready !== null) {
      this.writeReady(stream, ready);
      recordReady(ready);
      return;
    }
    const reply = answerRequest(parts, request);
    if (reply instanceof Promise || reply.blob !== null) void this.finish(stream, reply);
    else this.writeReply(stream, reply);
  }

  private writeReady(stream: ServerHttp2Stream, { variant, isModified }: ReadyHit): void {
    variant.wasUsed = true;
    if (!isModified) {
      stream.respond(streamFields(304, variant.notModifiedHeaders), endOfStream);
      return;
    }
    variant.streamFields ??= streamFields(200, variant.headers);
    if (variant.body?.body) variant.body.wasUsed = true;
    const body = variant.body?.body ?? variant.wire.subarray(variant.wire.length - variant.bodyBytes);
    stream.respond(variant.streamFields);
    stream.end(body);
    this.timeStalls(stream);
  }

  private writeReply(stream: ServerHttp2Stream, reply: EdgeReply): void {
    if (stream.destroyed || stream.closed) return;
    const fields = streamFields(reply.status, reply.headers);
    if (reply.body === null) stream.respond(fields, endOfStream);
    else {
      stream.respond(fields);
      stream.end(reply.body);
      this.timeStalls(stream);
    }
    recordReply(reply, reply.body?.length ?? 0);
  }

  private async finish(stream: ServerHttp2Stream, pending: EdgeReply | Promise<EdgeReply>): Promise<void> {
    try {
      const reply = await pending;
      if (reply.blob === null) {
        this.writeReply(stream, reply);
        return;
      }
      if (!stream.destroyed && !stream.closed) stream.respond(streamFields(reply.status, reply.headers));
      const ms = this.options.limits.stallMs * chunkStalls;
      const sent = await sendBlob(reply.blob, stream, { ms, end: () => takeBack(stream) });
      stream.end();
      recordReply(reply, sent);
    } catch (error) {
      // The head is out: only a reset tells the client that the body is not whole.
      this.options.parts.logger.error({ err: error }, 'an answer broke off');
      if (!stream.destroyed) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    }
  }

  /** Bodies in memory are shared: a slow client holds nothing of its own while its connection is lively. */
  private timeStalls(stream: ServerHttp2Stream): void {
    stream.setTimeout(this.options.limits.stallMs, () => takeBack(stream));
  }
}

function takeBack(stream: ServerHttp2Stream): void {
  if (!stream.destroyed) stream.close(constants.NGHTTP2_CANCEL);
}

const endOfStream = { endStream: true };
const fieldNames = new Map<string, string>();

/** Status and headers as HTTP/2 writes them; node adds the date. */
function streamFields(status: number, headers: readonly string[]): string[] {
  const fields = [':status', String(status)];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    let written = fieldNames.get(name);
    if (written === undefined) {
      written = name.toLowerCase();
      if (fieldNames.size < 1_000) fieldNames.set(name, written);
    }
    fields.push(written, headers[index + 1] ?? '');
  }
  return fields;
}
