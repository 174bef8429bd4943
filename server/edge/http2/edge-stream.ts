import type { EdgeAnswerRecord, EdgeMeter } from '../ports.ts';
import type { PieceTarget } from '../send-body.ts';
import type { Transfer } from '../transfer-memory.ts';
import type { StreamOutput } from './stream-output.ts';

/** Called when a piece of a body was taken, or never will be. */
export type PieceTaken = (error?: Error | null) => void;

/** A request and its answer, until the answer is sent or the stream is reset. */
export class EdgeStream implements PieceTarget {
  readonly id: number;
  /** How many bytes of DATA the client allows. */
  window: number;
  /** The head of the answer, while it is not sent. */
  head: Buffer | null = null;
  /** The part of the body that is in memory, and how much of it is sent. */
  body: Uint8Array | null = null;
  bodyAt = 0;
  /** Bytes of the whole body that are not sent yet. */
  bodyBytesLeft = 0;
  meter: EdgeMeter | null = null;
  record: EdgeAnswerRecord | null = null;
  /** What the answer holds while it waits; null for one that holds next to nothing. */
  transfer: Transfer | null = null;
  isHeadSent = false;
  /** The answer is sent, or will never be. */
  destroyed = false;
  isQueued = false;
  /** The client may still send a body. */
  isRemoteOpen: boolean;
  /** When the client last took something, in milliseconds of `performance.now`. */
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

  /** The part of the body in memory is sent. */
  pieceSent(): void {
    this.body = null;
    const { onTaken } = this;
    this.onTaken = null;
    onTaken?.();
  }

  /** Frees what the answer holds. Those who still send are told that the stream is gone. */
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
