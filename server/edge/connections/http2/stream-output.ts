import type { Socket } from 'node:net';
import type { EdgeMeter, EdgeResponseRecord } from '../../ports.ts';
import type { EdgeStream } from './edge-stream.ts';
import {
  ConnectionFault,
  ERROR,
  FLAG,
  FRAME,
  FRAME_HEAD_BYTES,
  INITIAL_WINDOW,
  PAYLOAD_BYTES_MAX,
  WINDOW_MAX,
  writeFrameHead,
} from './frames.ts';

/**
 * How much is written at once. Only one write of a connection is in progress, so this is the most by which a
 * broken one is overcounted.
 */
const BATCH_BYTES = 64 * 1024;
/** No DATA frame is made shorter than this only to fill a batch. */
const PART_BYTES_MIN = 1_024;
/** The most bytes of waiting connection frames: a client that causes more and reads none is disconnected. */
const CONTROL_BYTES_MAX = 16 * 1024;
/** At the beginning of a head: the table is empty from here on (RFC 7541, 6.3). */
const EMPTY_TABLE = Buffer.from([0x20]);
/** Batches of finished writes, for reuse. */
const spareBatches: Buffer[] = [];
const SPARE_BATCHES_MAX = 64;

const SERVED: EdgeResponseRecord = { status: 200, isCacheHit: true, isRefused: false, path: null };
const REFUSED: EdgeResponseRecord = { ...SERVED, isRefused: true };

function giveBack(batch: Buffer): void {
  if (spareBatches.length < SPARE_BATCHES_MAX) spareBatches.push(batch);
}

/** Called for what a connection has sent. */
export interface OutputEvents {
  /** The response of a stream has been sent completely. */
  onSent(stream: EdgeStream): void;
  /** Nothing is waiting to be sent. */
  onDrained(): void;
  /** Something cannot be sent. */
  onFailed(error: unknown): void;
}

/**
 * Sends the frames of one connection: answers in turns, one frame each, as far as the client's windows allow,
 * many frames per write. Each frame is reported to a meter when its write begins: a response's frames to its
 * own, connection frames together with the responses that follow them.
 */
export class StreamOutput {
  /** How many bytes of DATA the client allows on the connection, and on a new stream. */
  connectionWindow = INITIAL_WINDOW;
  initialWindow = INITIAL_WINDOW;
  /** When the current write began, in milliseconds of `performance.now`, or null. */
  writingSince: number | null = null;
  private readonly socket: Socket;
  private readonly events: OutputEvents;
  /** Streams with something that may be sent. */
  private queue: EdgeStream[] = [];
  private control: Buffer[] = [];
  private controlBytes = 0;
  private batch: Buffer | null = null;
  private used = 0;
  private meter: EdgeMeter | null = null;
  private frames = SERVED;
  /** Bytes of connection frames that have not been reported to a meter. */
  private untoldBytes = 0;
  /** The next head begins with `EMPTY_TABLE`. */
  private emptiesTable = false;

  constructor(socket: Socket, events: OutputEvents) {
    this.socket = socket;
    this.events = events;
  }

  /** @throws {ConnectionFault} when too many are waiting */
  sendControl(frame: Buffer): void {
    this.control.push(frame);
    this.controlBytes += frame.length;
    if (this.controlBytes > CONTROL_BYTES_MAX) {
      throw new ConnectionFault(ERROR.ENHANCE_YOUR_CALM, 'too many frames wait to be sent');
    }
  }

  /**
   * Tells the client with the next head that the HPACK table of responses is empty. No head uses it; but a client that
   * makes it smaller waits for this and fails otherwise (RFC 7541, 4.2).
   */
  emptyTable(): void {
    this.emptiesTable = true;
  }

  /** Sends a frame after which nothing else is sent. */
  sendLast(frame: Buffer): void {
    this.control = [frame];
    this.flush();
  }

  /** True while something can be sent, or is being sent. */
  get hasWork(): boolean {
    return this.writingSince !== null || this.used > 0 || this.control.length > 0 || this.queue.length > 0;
  }

  enqueue(stream: EdgeStream): void {
    if (stream.isQueued || stream.destroyed) return;
    stream.isQueued = true;
    this.queue.push(stream);
  }

  /**
   * Sends a whole response together with others of this turn of the event loop, when nothing blocks it; `flush`
   * follows.
   * @returns false when the response must wait
   */
  sendWhole(
    streamId: number,
    head: Buffer,
    body: Uint8Array | null,
    meter: EdgeMeter | null,
    record: EdgeResponseRecord,
  ): boolean {
    if (this.writingSince !== null || this.queue.length > 0 || this.emptiesTable) return false;
    if (this.control.length > 0) this.fillControl();
    if (this.control.length > 0) return false;
    const bodyBytes = body?.length ?? 0;
    if (bodyBytes > PAYLOAD_BYTES_MAX || head.length > PAYLOAD_BYTES_MAX) return false;
    if (bodyBytes > this.connectionWindow || bodyBytes > this.initialWindow) return false;
    const bytes = head.length + FRAME_HEAD_BYTES + (bodyBytes > 0 ? bodyBytes + FRAME_HEAD_BYTES : 0);
    if (this.used + bytes > BATCH_BYTES) return false;
    const batch = this.takeBatch();
    const flags = bodyBytes > 0 ? FLAG.END_HEADERS : FLAG.END_HEADERS | FLAG.END_STREAM;
    let at = writeFrameHead(batch, this.used, head.length, FRAME.HEADERS, flags, streamId);
    at += head.copy(batch, at);
    if (body !== null && bodyBytes > 0) {
      at = writeFrameHead(batch, at, bodyBytes, FRAME.DATA, FLAG.END_STREAM, streamId);
      batch.set(body, at);
      at += bodyBytes;
      this.connectionWindow -= bodyBytes;
    }
    this.used = at;
    this.reportResponse(meter, record, bytes);
    return true;
  }

  /** Writes what may be sent, unless a write is in progress. */
  flush(): void {
    if (this.writingSince !== null || this.socket.destroyed) return;
    try {
      // A client applies its settings when they are acknowledged, so nothing that needs them may come before; and a long
      // body leaves no room behind it.
      if (this.control.length > 0) this.fillControl();
      if (this.queue.length > 0) this.fill();
    } catch (error) {
      this.events.onFailed(error);
      return;
    }
    const { batch, used } = this;
    this.batch = null;
    this.used = 0;
    if (batch === null) return;
    if (used === 0) {
      giveBack(batch);
      return;
    }
    this.writingSince = performance.now();
    this.socket.write(batch.subarray(0, used), () => {
      giveBack(batch);
      this.writingSince = null;
      if (this.socket.destroyed) return;
      this.flush();
      if (this.writingSince === null && this.queue.length === 0) this.events.onDrained();
    });
  }

  /** @returns false when the window would exceed the protocol's limit */
  widen(bytes: number): boolean {
    this.connectionWindow += bytes;
    return this.connectionWindow <= WINDOW_MAX;
  }

  private takeBatch(): Buffer {
    this.batch ??= spareBatches.pop() ?? Buffer.allocUnsafeSlow(BATCH_BYTES);
    return this.batch;
  }

  private fillControl(): void {
    const batch = this.takeBatch();
    let written = 0;
    for (const frame of this.control) {
      if (this.used + frame.length > BATCH_BYTES) break;
      this.used += frame.copy(batch, this.used);
      this.controlBytes -= frame.length;
      this.untoldBytes += frame.length;
      written += 1;
    }
    this.control = this.control.slice(written);
    this.tellControl();
  }

  /** Gives each waiting stream a frame in turn, until the batch is full or none can continue. */
  private fill(): void {
    const batch = this.takeBatch();
    const now = performance.now();
    let halted = 0;
    while (this.queue.length > halted) {
      const stream = this.queue.shift();
      if (stream === undefined) return;
      stream.isQueued = false;
      if (stream.destroyed) continue;
      const before = this.used;
      this.fillFrom(stream, batch, now);
      if (this.used > before) halted = 0;
      // Without room in its own window, it is queued again when the client has made some.
      if (stream.head === null && (stream.body === null || stream.window <= 0)) continue;
      if (this.used === before) halted += 1;
      this.enqueue(stream);
    }
  }

  private fillFrom(stream: EdgeStream, batch: Buffer, now: number): void {
    if (stream.head !== null) {
      const head = this.emptiesTable ? Buffer.concat([EMPTY_TABLE, stream.head]) : stream.head;
      const frames = Math.ceil(head.length / PAYLOAD_BYTES_MAX);
      if (this.used + head.length + frames * FRAME_HEAD_BYTES > BATCH_BYTES) return;
      this.fillHead(stream, head, batch);
      stream.movedAt = now;
      if (stream.bodyBytesLeft === 0) {
        this.events.onSent(stream);
        return;
      }
    }
    const { body } = stream;
    if (body === null) return;
    const left = body.length - stream.bodyAt;
    const room = BATCH_BYTES - this.used - FRAME_HEAD_BYTES;
    const bytes = Math.min(left, PAYLOAD_BYTES_MAX, stream.window, this.connectionWindow, room);
    if (bytes <= 0 || (bytes === room && bytes < Math.min(left, PART_BYTES_MIN))) return;
    const isLast = bytes === stream.bodyBytesLeft;
    const flags = isLast ? FLAG.END_STREAM : 0;
    const start = writeFrameHead(batch, this.used, bytes, FRAME.DATA, flags, stream.id);
    batch.set(body.subarray(stream.bodyAt, stream.bodyAt + bytes), start);
    this.used = start + bytes;
    stream.window -= bytes;
    this.connectionWindow -= bytes;
    stream.bodyAt += bytes;
    stream.bodyBytesLeft -= bytes;
    stream.movedAt = now;
    if (stream.record !== null) stream.meter?.add(stream.record, bytes + FRAME_HEAD_BYTES);
    if (stream.bodyAt === body.length) stream.pieceSent();
    else if (!stream.isInPieces) stream.transfer?.moved(0);
    if (isLast) this.events.onSent(stream);
  }

  private fillHead(stream: EdgeStream, head: Buffer, batch: Buffer): void {
    const before = this.used;
    const endsStream = stream.bodyBytesLeft === 0 ? FLAG.END_STREAM : 0;
    for (let from = 0; from < head.length; from += PAYLOAD_BYTES_MAX) {
      const to = Math.min(head.length, from + PAYLOAD_BYTES_MAX);
      const type = from === 0 ? FRAME.HEADERS : FRAME.CONTINUATION;
      const flags = (from === 0 ? endsStream : 0) | (to === head.length ? FLAG.END_HEADERS : 0);
      const at = writeFrameHead(batch, this.used, to - from, type, flags, stream.id);
      this.used = at + head.copy(batch, at, from, to);
    }
    stream.head = null;
    stream.isHeadSent = true;
    this.emptiesTable = false;
    if (stream.record === null) return;
    this.reportResponse(stream.meter, stream.record, this.used - before);
  }

  /** Counts a response; from here on connection frames are reported with it. */
  private reportResponse(meter: EdgeMeter | null, record: EdgeResponseRecord, bytes: number): void {
    meter?.count(record, bytes);
    this.meter = meter;
    this.frames = record.isRefused ? REFUSED : SERVED;
    if (this.untoldBytes > 0) this.tellControl();
  }

  private tellControl(): void {
    if (this.meter === null) return;
    this.meter.add(this.frames, this.untoldBytes);
    this.untoldBytes = 0;
  }
}
