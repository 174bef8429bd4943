import {
  constants,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { answerRequest } from './answer-request.ts';
import type { EdgeConnection } from './edge-connection.ts';
import { bodyBytesOf, type EdgeParts, type EdgeReply, type EdgeRequest, visitorOf } from './edge-exchange.ts';
import type { EdgeLimits } from './edge-limits.ts';
import { FairTurns } from './fair-turns.ts';
import { findReady, type ReadyHit } from './find-ready.ts';
import { HastyVisitors } from './hasty-visitors.ts';
import { paceEnd } from './pace-end.ts';
import { pieceBytes, type SendOptions, sendBlob, sendBytes } from './send-body.ts';
import { SessionAccount, type StreamAccount } from './session-account.ts';
import { streamFields } from './stream-fields.ts';
import { forwardedForOf, readStreamRequest, type StreamHeaders } from './stream-request.ts';
import type { Transfer } from './transfer-memory.ts';
import type { EdgeClient } from './witness.ts';

/** What the HTTP/2 connections of one edge share. */
export interface StreamLaneOptions {
  readonly parts: EdgeParts;
  readonly limits: EdgeLimits;
}

/** Streams a client may take back at once, and every second from then on; beyond it the connection is closed (CVE-2023-44487). */
const resetBurst = 150;
const resetsPerSecond = 30;
/** A stream says nothing of single bytes, and several share a line: a chunk may take this many times `stallMs`. */
const chunkStalls = 2;
/** For heads and frames of one connection. */
const ownMebibytes = 4;
const headerPairsMax = 100;
const settingsMax = 16;
const pingsMax = 5;
/** How late metering may hear of heads and frames. */
const settleMs = 1_000;
/** New streams served in one turn of the loop, over all connections: each costs up to a third of a millisecond, its first piece included. */
const streamsPerTurn = 32;
/** Connections torn down in one turn: each may have all of its streams, of about 50 microseconds. */
const endsPerTurn = 1;

/** Serves HTTP/2: the same answers as the other lanes, on many streams of one connection. */
export class StreamLane {
  private readonly options: StreamLaneOptions;
  private readonly sessions = new Map<ServerHttp2Session, SessionAccount>();
  private readonly settling: NodeJS.Timeout;
  private readonly hasty = new HastyVisitors(Date.now);
  private readonly turns = new FairTurns(streamsPerTurn);
  private readonly ends = new FairTurns(endsPerTurn);
  /** Open ones of each address. */
  private readonly connections = new Map<string, number>();
  private isClosing = false;

  constructor(options: StreamLaneOptions) {
    this.options = options;
    this.settling = setInterval(() => {
      for (const account of this.sessions.values()) account.settleAlone();
    }, settleMs);
    this.settling.unref();
  }

  /** Takes a new connection; the socket must not have been read from. */
  adopt(socket: TLSSocket, about: EdgeConnection): void {
    const { limits, parts } = this.options;
    const client = visitorOf(parts, socket.remoteAddress, '');
    const own = parts.transfers.connection();
    let streams = 0;
    const streamsMax = this.streamsFor(client);
    const session = paceEnd(
      socket,
      (end) => this.endLater(client, end),
      () => this.handshake(socket, streamsMax),
    );
    const account = new SessionAccount(socket);
    this.sessions.set(session, account);
    session.on('close', () => this.sessions.delete(session));
    socket.once('close', () => account.close());
    // The client broke a rule or went away; 'close' follows.
    session.on('error', () => {});
    session.on('stream', (stream: ServerHttp2Stream, headers: StreamHeaders) => {
      if (streams === 0) session.setTimeout(limits.idleMs);
      streams += 1;
      let transfer: Transfer | null = null;
      let isRefused = false;
      // The client took the stream back, broke a rule or went away, perhaps before it is served; 'close' follows and tells whoever sends.
      stream.on('error', () => {});
      stream.on('close', () => {
        streams -= 1;
        transfer?.end();
        if (!stream.headersSent && !isRefused && !this.hasty.mayTakeBack(client)) endHasty(session);
      });
      // Behind a proxy everybody shares its connections: whose turn it is says the visitor that it names.
      const visitor = parts.trustProxy ? visitorOf(parts, '', forwardedForOf(headers)) : client;
      this.turns.take(visitor, () => {
        // Taken back in the same breath: nothing was done for it, and nothing is.
        if (stream.closed || stream.destroyed || session.destroyed) return false;
        try {
          const request = readStreamRequest(headers, about);
          transfer = own.begin(visitor, () => takeBack(stream));
          isRefused = transfer === null;
          if (transfer === null) refuse(stream);
          else this.serve(stream, request, account, transfer, socket);
        } catch (error) {
          this.breakOff(stream, error);
        }
        return true;
      });
    });
    session.setTimeout(limits.headMs);
    session.on('timeout', () => {
      if (streams === 0) session.close();
      else session.destroy();
    });
    if (this.isClosing) announceEnd(session);
  }

  private endLater(client: string, end: () => void): void {
    this.ends.take(client, () => {
      const others = (this.connections.get(client) ?? 1) - 1;
      if (others === 0) this.connections.delete(client);
      else this.connections.set(client, others);
      end();
      return true;
    });
  }

  /** Counts a connection of an address, until its end, and returns how many streams it may have. */
  private streamsFor(client: string): number {
    const { streamsMax, crowdedStreamsMax, roomyConnectionsPerAddress } = this.options.limits;
    // Behind a proxy nobody knows whose it is.
    if (client === '') return streamsMax;
    const count = (this.connections.get(client) ?? 0) + 1;
    this.connections.set(client, count);
    return count <= roomyConnectionsPerAddress ? streamsMax : Math.min(streamsMax, crowdedStreamsMax);
  }

  private handshake(socket: TLSSocket, streamsMax: number): ServerHttp2Session {
    const { limits } = this.options;
    return performServerHandshake(socket, {
      // Node counts bodies that wait, though they are shared: every stream may wait with the largest one kept in memory.
      maxSessionMemory: ownMebibytes + Math.ceil((limits.streamsMax * limits.cachedFileBytesMax) / 1024 ** 2),
      maxHeaderListPairs: headerPairsMax,
      maxOutstandingPings: pingsMax,
      maxSettings: settingsMax,
      streamResetBurst: resetBurst,
      streamResetRate: resetsPerSecond,
      settings: {
        enablePush: false,
        maxConcurrentStreams: streamsMax,
        maxHeaderListSize: limits.headBytesMax,
      },
    });
  }

  /** Tells every client to go elsewhere, answers what is on its way for a grace, and ends connections after their answers. */
  drain(): void {
    this.isClosing = true;
    clearInterval(this.settling);
    for (const session of this.sessions.keys()) announceEnd(session);
    const close = () => {
      for (const session of this.sessions.keys()) session.close();
    };
    setTimeout(close, this.options.limits.graceMs).unref();
  }

  destroyAll(): void {
    for (const session of this.sessions.keys()) session.destroy();
  }

  private serve(
    stream: ServerHttp2Stream,
    request: EdgeRequest,
    account: SessionAccount,
    transfer: Transfer,
    client: EdgeClient,
  ): void {
    const { parts } = this.options;
    const mark = request.target.indexOf('?');
    const ready = findReady(parts, request, mark < 0 ? request.target : request.target.slice(0, mark));
    if (ready !== null) {
      const { variant, isModified } = ready;
      const record = isModified ? variant.record : variant.notModifiedRecord;
      parts.witness.answered(request, record, isModified ? variant.bodyBytes : 0, 0, client);
      this.writeReady(stream, ready, account, transfer);
      return;
    }
    const startedAt = performance.now();
    const write = (found: EdgeReply) => {
      parts.witness.answered(request, found, bodyBytesOf(found), performance.now() - startedAt, client);
      this.writeReply(stream, found, account, transfer);
    };
    const reply = answerRequest(parts, request);
    if (reply instanceof Promise) reply.then(write).catch((error: unknown) => this.breakOff(stream, error));
    else write(reply);
  }

  /** Ends one stream over an error that nobody foresaw: a reset tells the client that its answer is not whole. */
  private breakOff(stream: ServerHttp2Stream, error: unknown): void {
    this.options.parts.logger.error({ err: error }, 'an answer broke off');
    if (!stream.destroyed) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  private writeReady(
    stream: ServerHttp2Stream,
    { entry, variant, isModified }: ReadyHit,
    account: SessionAccount,
    transfer: Transfer,
  ): void {
    variant.wasUsed = true;
    if (!isModified) {
      stream.respond(streamFields(304, variant.notModifiedHeaders), endOfStream);
      follow(stream, account.begin(entry, variant.notModifiedRecord, 0), null);
      return;
    }
    variant.streamFields ??= streamFields(200, variant.headers);
    if (variant.body?.body) variant.body.wasUsed = true;
    const body = variant.body?.body ?? variant.wire.subarray(variant.wire.length - variant.bodyBytes);
    stream.respond(variant.streamFields);
    this.writeBody(stream, body, account.begin(entry, variant.record, body.length), transfer);
  }

  private writeReply(
    stream: ServerHttp2Stream,
    reply: EdgeReply,
    account: SessionAccount,
    transfer: Transfer,
  ): void {
    const { body, blob, entry } = reply;
    if (stream.destroyed || stream.closed) {
      blob?.lease.release();
      return;
    }
    const isEmpty = body === null && blob === null;
    try {
      stream.respond(streamFields(reply.status, reply.headers), isEmpty ? endOfStream : undefined);
    } catch (error) {
      // Node refuses some names and values, and what stands in the database was accepted by another version of us.
      blob?.lease.release();
      throw error;
    }
    const answer = account.begin(entry, reply, bodyBytesOf(reply));
    if (blob !== null) this.writeLong(stream, answer, transfer, (options) => sendBlob(blob, stream, options));
    else if (body !== null) this.writeBody(stream, body, answer, transfer);
    else follow(stream, answer, null);
  }

  private writeBody(
    stream: ServerHttp2Stream,
    body: Buffer,
    answer: StreamAccount,
    transfer: Transfer,
  ): void {
    if (body.length > pieceBytes) {
      this.writeLong(stream, answer, transfer, (options) => sendBytes(body, stream, options));
      return;
    }
    stream.end(body);
    follow(stream, answer, body);
    this.timeStalls(stream);
  }

  private async writeLong(
    stream: ServerHttp2Stream,
    answer: StreamAccount,
    transfer: Transfer,
    send: (options: SendOptions) => Promise<unknown>,
  ): Promise<void> {
    follow(stream, answer, null);
    const ms = this.options.limits.stallMs * chunkStalls;
    const stall = { ms, end: () => takeBack(stream) };
    try {
      await send({ transfer, onSent: (bytes) => answer.sent(bytes), stall });
      stream.end();
    } catch (error) {
      this.breakOff(stream, error);
    }
  }

  /** Bodies in memory are shared: a slow client holds nothing of its own while its connection is lively. */
  private timeStalls(stream: ServerHttp2Stream): void {
    stream.setTimeout(this.options.limits.stallMs, () => takeBack(stream));
  }
}

/** Tells the account of a stream how it ends; `body` is what was given to it in one write. */
function follow(stream: ServerHttp2Stream, answer: StreamAccount, body: Buffer | null): void {
  stream.once('close', () => {
    if (body !== null && stream.writableFinished) answer.sent(body.length);
    answer.end();
  });
}

function takeBack(stream: ServerHttp2Stream): void {
  if (!stream.destroyed) stream.close(constants.NGHTTP2_CANCEL);
}

/** As RFC 9113, 6.8 has it: this first GOAWAY refuses no stream, the one that follows when the session closes says which was the last. */
function announceEnd(session: ServerHttp2Session): void {
  if (!session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR, streamIdMax);
}

function endHasty(session: ServerHttp2Session): void {
  if (session.destroyed) return;
  session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  session.destroy();
}

/** Tells a client that nothing was done for this request, so that it may ask again. */
function refuse(stream: ServerHttp2Stream): void {
  stream.close(constants.NGHTTP2_REFUSED_STREAM);
}

const streamIdMax = 2 ** 31 - 1;
const endOfStream = { endStream: true };
