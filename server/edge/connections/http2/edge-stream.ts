import type { Transfer } from '../../memory/transfer-memory.ts';
import type { EdgeMeter, EdgeResponseRecord } from '../../ports.ts';
import type { PieceTarget } from '../../send-body.ts';
import type { StreamOutput } from './stream-output.ts';

/** Called when a piece of a body was accepted, or never will be. */
export type PieceTaken = (error?: Error | null) => void;

/** A request and its response, until the response is sent or the stream is reset. */
export class EdgeStream implements PieceTarget {
  readonly id: number;
  /** How many bytes of DATA the client allows. */
  window: number;
  /** The head of the response, until it is sent. */
  head: Buffer | null = null;
  /** The part of the body that is in memory, and how much of it has been sent. */
  body: Uint8Array | null = null;
  bodyAt = 0;
  /** Bytes of the whole body that have not been sent yet. */
  bodyBytesLeft = 0;
  meter: EdgeMeter | null = null;
  record: EdgeResponseRecord | null = null;
  /** What the response holds while it waits; null when that is next to nothing. */
  transfer: Transfer | null = null;
  isHeadSent = false;
  /** The response has been sent, or never will be. */
  destroyed = false;
  isQueued = false;
  /** The client may still send a body. */
  isRemoteOpen: boolean;
  /** When the client last accepted something, in milliseconds of `performance.now`. */
  movedAt = 0;
  private readonly output: StreamOutput;
  private onTaken: PieceTaken | null = null;
  private onClose: (() => void) | null = null;

  constructor(id: number, window: number, isRemoteOpen: boolean, output: StreamOutput) {
    this.id = id;
    this.window = window;
    this.isRemoteOpen = isRemoteOpen;
    this.output = output;
  }

  /** True while the body is handed over piece by piece. */
  get isInPieces(): boolean {
    return this.onTaken !== null;
  }

  write(piece: Uint8Array, taken: PieceTaken): void {
    if (this.destroyed) {
      taken(new Error('the stream has closed'));
      return;
    }
    this.body = piece;
    this.bodyAt = 0;
    this.onTaken = taken;
    this.output.enqueue(this);
    this.output.flush();
  }

  once(_: 'close', listener: () => void): void {
    this.onClose = listener;
  }

  off(_: 'close', listener: () => void): void {
    if (this.onClose === listener) this.onClose = null;
  }

  /** Called when the part of the body in memory has been sent. */
  pieceSent(): void {
    this.body = null;
    const { onTaken } = this;
    this.onTaken = null;
    onTaken?.();
  }

  /** Releases what the response holds. Ongoing senders are told that the stream is gone. */
  end(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.transfer?.end();
    this.head = null;
    this.body = null;
    const { onClose, onTaken } = this;
    this.onTaken = null;
    onClose?.();
    onTaken?.(new Error('the stream has closed'));
  }
}
