import type { TLSSocket } from 'node:tls';
import { TokenBucket } from '../../../connections/token-bucket.ts';
import { type EdgeRequest, visitorOf } from '../../edge-exchange.ts';
import { findReady } from '../../find-ready.ts';
import { readDirectly } from '../direct-reads.ts';
import type { EdgeConnection } from '../edge-connection.ts';
import type { Http2Server } from '../http2-server.ts';
import { EdgeStream } from './edge-stream.ts';
import { FrameReader, type FrameSink } from './frame-reader.ts';
import {
  ConnectionFault,
  ERROR,
  goawayFrame,
  PAYLOAD_BYTES_MAX,
  pingAckFrame,
  resetFrame,
  SETTING,
  SETTINGS_ACK_FRAME,
  STREAM_ID_MAX,
  settingsFrame,
  TABLE_BYTES_DEFAULT,
  WINDOW_MAX,
  windowUpdateFrame,
} from './frames.ts';
import { type OutputEvents, StreamOutput } from './stream-output.ts';
import type { StreamRequest } from './stream-request.ts';
import { type AnsweredConnection, StreamResponses } from './stream-responses.ts';

/** Streams a client may cancel at once, and every second from then on (CVE-2023-44487). */
const RESET_BURST = 150;
const RESETS_PER_SECOND = 30;
/** The same for frames without an effect: PING, SETTINGS, PRIORITY, unknown ones, and unwanted DATA. */
const CHATTER_BURST = 500;
const CHATTER_PER_SECOND = 100;
/** Received DATA is discarded; the client may send more after this many bytes. */
const CREDIT_BYTES = 32 * 1024;
/**
 * What is read of a connection before others have their turn. Without this limit Node reads two megabytes at once, and
 * a client that sends frames without an effect, such as WINDOW_UPDATE, would make others wait for all of them.
 */
const READ_BYTES_A_TURN = 64 * 1024;
/**
 * Streams that we have recently reset, on which the client may have sent something before it learned of it.
 */
const RESET_IDS_MAX = 200;
/** The cost of a request in a turn of the event loop: one that is ready in memory, and any other. */
const READY_COST = 1;
const OTHER_COST = 10;

/** One HTTP/2 connection (RFC 9113): understands its frames, and enforces the client's limits. */
export class StreamConnection implements FrameSink, OutputEvents, AnsweredConnection {
  private readonly server: Http2Server;
  private readonly socket: TLSSocket;
  private readonly about: EdgeConnection;
  /** The client, as identified by `visitorOf`. */
  private readonly client: string;
  private readonly streamsMax: number;
  private readonly output: StreamOutput;
  private readonly reader: FrameReader;
  private readonly responses: StreamResponses;
  private readonly streams = new Map<number, EdgeStream>();
  private readonly resetIds = new Set<number>();
  private readonly resets: TokenBucket;
  private readonly chatter: TokenBucket;
  private lastStreamId = 0;
  private receivedBytes = 0;
  /** Bytes of all frames since the connection last waited for a turn. */
  private readBytes = 0;
  private hasAsked = false;
  private heardAt: number;
  /** No new streams: the connection ends when the open ones have been answered. */
  private isEnding = false;
  private hasEnded = false;
  /** The client has been told why the connection ends, or is about to be. */
  private isBroken = false;
  private isAttempting = false;

  constructor(
    server: Http2Server,
    socket: TLSSocket,
    about: EdgeConnection,
    client: string,
    streamsMax: number,
  ) {
    this.server = server;
    this.socket = socket;
    this.about = about;
    this.client = client;
    this.streamsMax = streamsMax;
    this.output = new StreamOutput(socket, this);
    this.responses = new StreamResponses(server, socket, this.output, this);
    this.reader = new FrameReader(this, server.request);
    this.heardAt = performance.now();
    this.resets = new TokenBucket(RESET_BURST, RESETS_PER_SECOND, this.heardAt);
    this.chatter = new TokenBucket(CHATTER_BURST, CHATTER_PER_SECOND, this.heardAt);
    const settings = settingsFrame([
      [SETTING.MAX_CONCURRENT_STREAMS, streamsMax],
      [SETTING.MAX_HEADER_LIST_SIZE, server.options.limits.headBytesMax],
    ]);
    this.output.sendControl(settings);
    if (!readDirectly(socket, this.onData)) socket.on('data', this.onData);
    socket.on('end', this.onEnd);
    // A close follows every error and carries all the information.
    socket.on('error', () => {});
    this.output.flush();
  }

  /**
   * Tells the client to open no more streams here; those it has already sent are still answered (RFC 9113,
   * 6.8).
   */
  announceEnd(): void {
    this.attempt(() => this.output.sendControl(goawayFrame(STREAM_ID_MAX, ERROR.NO_ERROR)));
  }

  /** Ends the connection after the unfinished responses. */
  end(): void {
    if (this.isEnding) return;
    this.isEnding = true;
    this.attempt(() => this.output.sendControl(goawayFrame(this.lastStreamId, ERROR.NO_ERROR)));
    this.endIfDone();
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Ends what has stalled; called periodically. */
  sweep(now: number): void {
    const { headMs, idleMs, stallMs } = this.server.options.limits;
    const { writingSince } = this.output;
    const { partialSince } = this.reader;
    if (writingSince !== null && now - writingSince > stallMs) this.destroy();
    else if (this.hasEnded && now - this.heardAt > headMs) this.destroy();
    else if (partialSince !== null && now - partialSince > headMs) this.destroy();
    else if (this.streams.size === 0) {
      if (now - this.heardAt > (this.hasAsked ? idleMs : headMs)) this.end();
    } else {
      this.attempt(() => {
        for (const stream of this.streams.values()) {
          const isWaiting = stream.head !== null || stream.body !== null;
          if (isWaiting && !stream.isInPieces && now - stream.movedAt > stallMs)
            this.reset(stream, ERROR.CANCEL);
        }
      });
    }
  }

  /** Releases what the streams hold, once the connection has closed. */
  dispose(): void {
    for (const stream of this.streams.values()) stream.end();
    this.streams.clear();
  }

  private readonly onData = (chunk: Buffer): void => {
    this.readBytes += chunk.length;
    if (this.readBytes >= READ_BYTES_A_TURN) this.waitForTurn();
    if (this.hasEnded) return;
    this.heardAt = performance.now();
    this.attempt(() => this.reader.read(chunk, this.heardAt));
  };

  private waitForTurn(): void {
    this.readBytes = 0;
    this.socket.pause();
    setImmediate(() => this.server.readTurns.take(this.client, this.readOn));
  }

  private readonly readOn = (): boolean => {
    if (this.socket.destroyed) return false;
    this.socket.resume();
    return true;
  };

  private readonly onEnd = (): void => {
    this.end();
  };

  /**
   * Runs the work of a frame or a timer and sends the result; an error ends the connection and nothing else.
   */
  attempt(work: () => void): void {
    // Nested in another attempt, which sends the results of both.
    if (this.isAttempting) {
      work();
      return;
    }
    this.isAttempting = true;
    try {
      work();
    } catch (error) {
      this.breakOff(error);
    }
    this.isAttempting = false;
    this.output.flush();
  }

  private breakOff(error: unknown): void {
    const isFault = error instanceof ConnectionFault;
    if (!isFault) this.server.options.parts.logger.error({ err: error }, 'an HTTP/2 connection broke off');
    if (!isFault || this.isBroken) {
      this.destroy();
      return;
    }
    this.isBroken = true;
    this.hasEnded = true;
    this.isEnding = true;
    this.dispose();
    this.output.sendLast(goawayFrame(this.lastStreamId, error.code));
  }

  private endIfDone(): void {
    if (!this.isEnding || this.hasEnded || this.streams.size > 0 || this.output.hasWork) return;
    this.hasEnded = true;
    this.socket.end();
  }

  onDrained(): void {
    if (this.isBroken) this.socket.destroySoon();
    else this.endIfDone();
  }

  onFailed(error: unknown): void {
    this.breakOff(error);
  }

  onSent(stream: EdgeStream): void {
    this.streams.delete(stream.id);
    stream.end();
    if (!stream.isRemoteOpen) return;
    // The body of a request is never used (RFC 9113, 8.1). Clients that read both at once may mistake the
    // reset for the response.
    this.resetIds.add(stream.id);
    setImmediate(() => this.attempt(() => this.sendReset(stream.id, ERROR.NO_ERROR)));
  }

  /** Counts a frame without an effect. */
  countChatter(): void {
    if (!this.chatter.take(this.heardAt)) {
      throw new ConnectionFault(ERROR.ENHANCE_YOUR_CALM, 'too many frames ask for nothing');
    }
  }

  onSetting(setting: number, value: number): void {
    if (setting === SETTING.ENABLE_PUSH && value > 1) {
      throw new ConnectionFault(ERROR.PROTOCOL_ERROR, 'ENABLE_PUSH is neither 0 nor 1');
    }
    if (setting === SETTING.MAX_FRAME_SIZE && (value < PAYLOAD_BYTES_MAX || value >= 2 ** 24)) {
      throw new ConnectionFault(ERROR.PROTOCOL_ERROR, 'MAX_FRAME_SIZE is out of its range');
    }
    if (setting === SETTING.HEADER_TABLE_SIZE && value < TABLE_BYTES_DEFAULT) this.output.emptyTable();
    if (setting !== SETTING.INITIAL_WINDOW_SIZE) return;
    if (value > WINDOW_MAX) throw new ConnectionFault(ERROR.FLOW_CONTROL_ERROR, 'a window is too large');
    const more = value - this.output.initialWindow;
    this.output.initialWindow = value;
    for (const stream of this.streams.values()) {
      stream.window += more;
      if (stream.window > WINDOW_MAX) {
        throw new ConnectionFault(ERROR.FLOW_CONTROL_ERROR, 'a window is too large');
      }
      this.resume(stream);
    }
  }

  onSettingsEnd(): void {
    this.output.sendControl(SETTINGS_ACK_FRAME);
  }

  onPing(payload: Uint8Array): void {
    this.output.sendControl(pingAckFrame(payload));
  }

  onGoaway(): void {
    this.end();
  }

  onWindowUpdate(streamId: number, increment: number): void {
    if (streamId === 0) {
      if (increment === 0) throw new ConnectionFault(ERROR.PROTOCOL_ERROR, 'a window grows by nothing');
      if (!this.output.widen(increment)) {
        throw new ConnectionFault(ERROR.FLOW_CONTROL_ERROR, 'the window is too large');
      }
      return;
    }
    this.requireOpened(streamId);
    const stream = this.streams.get(streamId);
    if (stream === undefined) return;
    if (increment === 0) this.resetFaulty(stream, ERROR.PROTOCOL_ERROR);
    else {
      stream.window += increment;
      if (stream.window > WINDOW_MAX) this.resetFaulty(stream, ERROR.FLOW_CONTROL_ERROR);
      else this.resume(stream);
    }
  }

  onReset(streamId: number): void {
    this.requireOpened(streamId);
    const stream = this.streams.get(streamId);
    this.countCancelled(stream);
    if (stream === undefined) return;
    this.streams.delete(streamId);
    stream.end();
    this.endIfDone();
  }

  private countCancelled(stream: EdgeStream | undefined): void {
    if (!this.resets.take(this.heardAt)) {
      throw new ConnectionFault(ERROR.ENHANCE_YOUR_CALM, 'too many streams are cancelled');
    }
    if (stream?.isHeadSent === false && !this.server.cancelLimit.allows(this.client)) {
      throw new ConnectionFault(ERROR.ENHANCE_YOUR_CALM, 'too many requests are cancelled');
    }
  }

  onBody(streamId: number, frameBytes: number, endsStream: boolean): void {
    this.requireOpened(streamId);
    this.receivedBytes += frameBytes;
    if (this.receivedBytes > CREDIT_BYTES) {
      this.countChatter();
      this.output.sendControl(windowUpdateFrame(0, this.receivedBytes));
      this.receivedBytes = 0;
    }
    const stream = this.streams.get(streamId);
    if (stream?.isRemoteOpen) {
      if (endsStream) stream.isRemoteOpen = false;
      else if (frameBytes === 0) this.countChatter();
      return;
    }
    this.countChatter();
    if (stream !== undefined) this.resetFaulty(stream, ERROR.STREAM_CLOSED);
    else if (!this.resetIds.has(streamId)) this.sendReset(streamId, ERROR.STREAM_CLOSED);
  }

  onPriority(streamId: number, dependsOn: number): void {
    if (streamId !== dependsOn) return;
    const stream = this.streams.get(streamId);
    if (stream !== undefined) this.resetFaulty(stream, ERROR.PROTOCOL_ERROR);
    else if (streamId > this.lastStreamId) {
      throw new ConnectionFault(ERROR.PROTOCOL_ERROR, 'a stream depends on itself');
    }
  }

  /** Called when a stream breaks a rule of its own. */
  onStreamFault(streamId: number, code: number): void {
    this.lastStreamId = Math.max(this.lastStreamId, streamId);
    const stream = this.streams.get(streamId);
    if (stream === undefined) this.sendReset(streamId, code);
    else this.resetFaulty(stream, code);
  }

  onHead(streamId: number, endsStream: boolean): void {
    if (streamId <= this.lastStreamId) this.takeTrailers(streamId, endsStream);
    else if (streamId % 2 === 0)
      throw new ConnectionFault(ERROR.PROTOCOL_ERROR, 'a client opens odd streams');
    else {
      this.lastStreamId = streamId;
      this.hasAsked = true;
      this.takeRequest(streamId, endsStream);
    }
  }

  private takeTrailers(streamId: number, endsStream: boolean): void {
    const stream = this.streams.get(streamId);
    if (stream === undefined && this.resetIds.has(streamId)) return;
    if (!stream?.isRemoteOpen) {
      throw new ConnectionFault(ERROR.STREAM_CLOSED, 'a head comes on a stream that has ended');
    }
    if (!endsStream) this.resetFaulty(stream, ERROR.PROTOCOL_ERROR);
    stream.isRemoteOpen = false;
  }

  private takeRequest(streamId: number, endsStream: boolean): void {
    const { server } = this;
    const { request, turns } = server;
    const { parts } = server.options;
    if (this.isEnding || this.streams.size >= this.streamsMax) {
      this.sendReset(streamId, ERROR.REFUSED_STREAM);
      return;
    }
    if (request.isMalformed) {
      this.sendReset(streamId, ERROR.PROTOCOL_ERROR);
      return;
    }
    request.connection = this.about;
    if (endsStream && !request.isTooLarge && turns.spend(READY_COST)) {
      const ready = findReady(parts, request, request.path);
      if (ready !== null && this.responses.sendReady(streamId, request, ready)) return;
    }
    const stream = new EdgeStream(streamId, this.output.initialWindow, !endsStream, this.output);
    this.streams.set(streamId, stream);
    if (request.isTooLarge) {
      this.responses.refuseHead(stream);
      return;
    }
    // Behind a proxy, visitors share connections: turns are assigned by the visitor that it identifies.
    const { forwardedFor } = request;
    const visitor = parts.trustProxy ? visitorOf(parts, '', forwardedFor) : this.client;
    const kept: EdgeRequest = copyRequest(request);
    const { path } = request;
    const begin = () => {
      // It was cancelled while it waited for its turn.
      if (stream.destroyed || this.socket.destroyed) return false;
      this.attempt(() => this.responses.serve(stream, kept, path, visitor));
      return true;
    };
    turns.take(visitor, begin, OTHER_COST);
  }

  private resume(stream: EdgeStream): void {
    if (stream.body !== null && stream.window > 0) this.output.enqueue(stream);
  }

  /** Cancels a stream and tells the client why. */
  reset(stream: EdgeStream, code: number): void {
    if (stream.destroyed) return;
    this.streams.delete(stream.id);
    stream.end();
    this.sendReset(stream.id, code);
    this.endIfDone();
  }

  /**
   * Cancels a stream on which the client broke a rule. It counts as if the client had cancelled it, which is what
   * breaking rules on purpose amounts to (CVE-2025-8671).
   */
  private resetFaulty(stream: EdgeStream, code: number): void {
    this.countCancelled(stream);
    this.reset(stream, code);
  }

  private sendReset(streamId: number, code: number): void {
    if (this.hasEnded) return;
    this.resetIds.add(streamId);
    if (this.resetIds.size > RESET_IDS_MAX) {
      const [oldest] = this.resetIds;
      if (oldest !== undefined) this.resetIds.delete(oldest);
    }
    this.output.sendControl(resetFrame(streamId, code));
  }

  private requireOpened(streamId: number): void {
    if (streamId > this.lastStreamId) {
      throw new ConnectionFault(ERROR.PROTOCOL_ERROR, 'a frame is about a stream that was never opened');
    }
  }
}

/** Copies a request, because the server's is reused for the next head. */
function copyRequest(request: StreamRequest): EdgeRequest {
  const { method, target, host, acceptEncoding, acceptLanguage, range, connection } = request;
  const { ifRange, ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = request;
  const { forwardedProto, forwardedFor, referer, userAgent } = request;
  return {
    ...{ method, target, host, acceptEncoding, acceptLanguage, range, connection },
    ...{ ifRange, ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince },
    ...{ forwardedProto, forwardedFor, referer, userAgent },
  };
}
