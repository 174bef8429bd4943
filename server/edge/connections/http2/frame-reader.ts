import { lastingBytes } from '../direct-reads.ts';
import {
  CLIENT_PREFACE,
  ConnectionFault,
  ERROR,
  FLAG,
  FRAME,
  FRAME_HEAD_BYTES,
  PAYLOAD_BYTES_MAX,
} from './frames.ts';
import { HeaderDecoder } from './header-decoder.ts';
import type { StreamRequest } from './stream-request.ts';

/**
 * Bytes of a head before it is decoded, in all its frames. A head above the allowed size is refused, one
 * above this ends the connection.
 */
const HEAD_BYTES_MAX = 64 * 1024;
const SETTINGS_MAX = 32;
const PRIORITY_BYTES = 5;
const SETTING_BYTES = 6;

/**
 * Handles a client's frames, in order. Everything but `onHead` may throw a `ConnectionFault`, which ends the
 * connection.
 */
export interface FrameSink {
  /** Called when the reader's request contains the head. */
  onHead(streamId: number, endsStream: boolean): void;
  /** @param frameBytes of the payload, which count in full towards the window */
  onBody(streamId: number, frameBytes: number, endsStream: boolean): void;
  onPriority(streamId: number, dependsOn: number): void;
  onReset(streamId: number): void;
  onSetting(setting: number, value: number): void;
  onSettingsEnd(): void;
  onPing(payload: Uint8Array): void;
  onGoaway(): void;
  onWindowUpdate(streamId: number, increment: number): void;
  onStreamFault(streamId: number, code: number): void;
  countChatter(): void;
}

/** A head whose last frame has not arrived. */
interface OpenHead {
  readonly streamId: number;
  readonly endsStream: boolean;
  readonly parts: Buffer[];
  bytes: number;
}

/** Splits what a client sends into frames (RFC 9113, sections 4 and 6), and heads into fields. */
export class FrameReader {
  /**
   * Since when a frame or a head has been incomplete, in milliseconds of `performance.now`; null when none
   * is.
   */
  partialSince: number | null = null;
  private readonly sink: FrameSink;
  private readonly request: StreamRequest;
  private readonly decoder = new HeaderDecoder();
  private rest: Buffer | null = null;
  private hasPreface = false;
  private hasSettings = false;
  private openHead: OpenHead | null = null;

  /** @param request filled with each head */
  constructor(sink: FrameSink, request: StreamRequest) {
    this.sink = sink;
    this.request = request;
  }

  /** @throws {ConnectionFault} when the client breaks a rule of the connection */
  read(chunk: Buffer, now: number): void {
    const bytes = this.rest === null ? chunk : Buffer.concat([this.rest, chunk]);
    let at = 0;
    if (!this.hasPreface) {
      const length = Math.min(bytes.length, CLIENT_PREFACE.length);
      if (bytes.compare(CLIENT_PREFACE, 0, length, 0, length) !== 0) {
        throw new ConnectionFault(ERROR.PROTOCOL_ERROR, 'the connection does not begin as HTTP/2 does');
      }
      if (length === CLIENT_PREFACE.length) {
        this.hasPreface = true;
        at = length;
      }
    }
    while (this.hasPreface && bytes.length - at >= FRAME_HEAD_BYTES) {
      const payloadBytes = bytes.readUIntBE(at, 3);
      if (payloadBytes > PAYLOAD_BYTES_MAX) throw sizeFault('a frame is too long');
      const start = at + FRAME_HEAD_BYTES;
      const end = start + payloadBytes;
      if (end > bytes.length) break;
      const streamId = bytes.readUInt32BE(at + 5) & 0x7fff_ffff;
      this.takeFrame(bytes[at + 3] ?? 0, bytes[at + 4] ?? 0, streamId, bytes.subarray(start, end));
      at = end;
    }
    this.rest = at === bytes.length ? null : lastingBytes(bytes.subarray(at));
    if (this.rest === null && this.openHead === null) this.partialSince = null;
    else this.partialSince ??= now;
  }

  private takeFrame(type: number, flags: number, streamId: number, payload: Buffer): void {
    if (!this.hasSettings) {
      if (type !== FRAME.SETTINGS || (flags & FLAG.ACK) !== 0)
        throw protocolFault('the first frame is not SETTINGS');
      this.hasSettings = true;
    }
    if (this.openHead !== null && (type !== FRAME.CONTINUATION || streamId !== this.openHead.streamId)) {
      throw protocolFault('a head is interrupted');
    }
    switch (type) {
      case FRAME.DATA:
        this.takeData(flags, streamId, payload);
        return;
      case FRAME.HEADERS:
        this.takeHeaders(flags, streamId, payload);
        return;
      case FRAME.CONTINUATION:
        this.takeContinuation(flags, payload);
        return;
      case FRAME.WINDOW_UPDATE:
        if (payload.length !== 4) throw sizeFault('WINDOW_UPDATE has 4 bytes');
        this.sink.onWindowUpdate(streamId, payload.readUInt32BE(0) & 0x7fff_ffff);
        return;
      case FRAME.RST_STREAM:
        requireStream(streamId);
        if (payload.length !== 4) throw sizeFault('RST_STREAM has 4 bytes');
        this.sink.onReset(streamId);
        return;
      case FRAME.PUSH_PROMISE:
        throw protocolFault('a client promises nothing');
      default:
        this.sink.countChatter();
        this.takeOther(type, flags, streamId, payload);
    }
  }

  private takeOther(type: number, flags: number, streamId: number, payload: Buffer): void {
    switch (type) {
      case FRAME.SETTINGS:
        this.takeSettings(flags, streamId, payload);
        return;
      case FRAME.PING:
        requireConnection(streamId);
        if (payload.length !== 8) throw sizeFault('PING has 8 bytes');
        if ((flags & FLAG.ACK) === 0) this.sink.onPing(payload);
        return;
      case FRAME.GOAWAY:
        requireConnection(streamId);
        if (payload.length < 8) throw sizeFault('GOAWAY has 8 bytes at least');
        this.sink.onGoaway();
        return;
      case FRAME.PRIORITY:
        requireStream(streamId);
        if (payload.length !== PRIORITY_BYTES) this.sink.onStreamFault(streamId, ERROR.FRAME_SIZE_ERROR);
        else this.sink.onPriority(streamId, payload.readUInt32BE(0) & 0x7fff_ffff);
        return;
      default:
      // Frames of unknown types are ignored (RFC 9113, 4.1).
    }
  }

  private takeSettings(flags: number, streamId: number, payload: Buffer): void {
    requireConnection(streamId);
    if ((flags & FLAG.ACK) !== 0) {
      if (payload.length !== 0) throw sizeFault('an acknowledgement is empty');
      return;
    }
    if (payload.length % SETTING_BYTES !== 0) throw sizeFault('a setting has 6 bytes');
    if (payload.length > SETTINGS_MAX * SETTING_BYTES) {
      throw new ConnectionFault(ERROR.ENHANCE_YOUR_CALM, 'there are too many settings');
    }
    for (let at = 0; at < payload.length; at += SETTING_BYTES) {
      this.sink.onSetting(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    }
    this.sink.onSettingsEnd();
  }

  private takeData(flags: number, streamId: number, payload: Buffer): void {
    requireStream(streamId);
    if ((flags & FLAG.PADDED) !== 0) withoutPadding(payload);
    this.sink.onBody(streamId, payload.length, (flags & FLAG.END_STREAM) !== 0);
  }

  private takeHeaders(flags: number, streamId: number, payload: Buffer): void {
    requireStream(streamId);
    let block = (flags & FLAG.PADDED) === 0 ? payload : withoutPadding(payload);
    if ((flags & FLAG.PRIORITY) !== 0) {
      if (block.length < PRIORITY_BYTES) throw sizeFault('a priority has 5 bytes');
      const dependsOn = block.readUInt32BE(0) & 0x7fff_ffff;
      if (dependsOn === streamId) throw protocolFault('a stream depends on itself');
      block = block.subarray(PRIORITY_BYTES);
    }
    const endsStream = (flags & FLAG.END_STREAM) !== 0;
    if ((flags & FLAG.END_HEADERS) !== 0) this.takeHead(streamId, endsStream, block);
    else this.openHead = { streamId, endsStream, parts: [lastingBytes(block)], bytes: block.length };
  }

  private takeContinuation(flags: number, payload: Buffer): void {
    const { openHead } = this;
    if (openHead === null) throw protocolFault('CONTINUATION continues nothing');
    // A head fits a few frames: many small ones only use up the processor (CVE-2024-27316).
    this.sink.countChatter();
    openHead.parts.push(lastingBytes(payload));
    openHead.bytes += payload.length;
    if (openHead.bytes > HEAD_BYTES_MAX)
      throw new ConnectionFault(ERROR.ENHANCE_YOUR_CALM, 'a head is too long');
    if ((flags & FLAG.END_HEADERS) === 0) return;
    this.openHead = null;
    this.takeHead(openHead.streamId, openHead.endsStream, Buffer.concat(openHead.parts));
  }

  private takeHead(streamId: number, endsStream: boolean, block: Buffer): void {
    this.request.begin();
    this.decoder.decode(block, this.request);
    this.request.finish();
    this.sink.onHead(streamId, endsStream);
  }
}

/** Returns the payload between its padding length and the padding. */
function withoutPadding(payload: Buffer): Buffer {
  const padding = payload[0];
  if (padding === undefined) throw sizeFault('the length of the padding is missing');
  if (padding >= payload.length) throw protocolFault('there is more padding than payload');
  return payload.subarray(1, payload.length - padding);
}

function requireStream(streamId: number): void {
  if (streamId === 0) throw protocolFault('a frame of a stream names none');
}

function requireConnection(streamId: number): void {
  if (streamId !== 0) throw protocolFault('a frame about the connection names a stream');
}

function protocolFault(message: string): ConnectionFault {
  return new ConnectionFault(ERROR.PROTOCOL_ERROR, message);
}

function sizeFault(message: string): ConnectionFault {
  return new ConnectionFault(ERROR.FRAME_SIZE_ERROR, message);
}
