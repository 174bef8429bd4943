import type { Writable } from 'node:stream';
import type { EdgeReply } from './edge-exchange.ts';

/** A long body goes out in pieces of this size: a client that goes away has cost, and is counted, no more than it took. */
export const pieceBytes = 128 * 1024;
/** Buffers of finished transfers, for the next ones. */
const spareBuffers: Buffer[] = [];
const spareBuffersMax = 32;

export interface SendOptions {
  /** Told of each piece when all of it was taken. */
  readonly onSent: (bytes: number) => void;
  /** Ends a transfer whose client does not take one piece within `ms`; without it the connection's own timer has to. */
  readonly stall?: { readonly ms: number; readonly end: () => void };
}

/**
 * Writes bytes to a connection no faster than they are taken. Answers whether all of them were: the connection may have closed.
 */
export async function sendBytes(body: Buffer, target: Writable, options: SendOptions): Promise<boolean> {
  const pieces = new PieceWriter(target, options);
  for (let at = 0; at < body.length && !pieces.isClosed; at += pieceBytes) {
    await pieces.write(body.subarray(at, at + pieceBytes));
  }
  return pieces.end();
}

/**
 * As `sendBytes`, for a part of a blob, holding two pieces at most; releases the lease. Rejects when the blob cannot be read.
 */
export async function sendBlob(
  { lease, start, end }: NonNullable<EdgeReply['blob']>,
  target: Writable,
  options: SendOptions,
): Promise<boolean> {
  const pieces = new PieceWriter(target, options);
  try {
    if (lease.handle.isLocal) {
      const buffers = [spareBuffers.pop(), spareBuffers.pop()].map(
        (spare) => spare ?? Buffer.allocUnsafeSlow(pieceBytes),
      );
      let turn = 0;
      let written: Promise<void> = Promise.resolve();
      for (let position = start; position <= end && !pieces.isClosed; turn ^= 1) {
        const buffer = buffers[turn] ?? Buffer.allocUnsafeSlow(pieceBytes);
        const count = await lease.handle.read(buffer, 0, Math.min(pieceBytes, end + 1 - position), position);
        if (count === 0) throw new Error(`a blob ends at ${position}, before ${end + 1}`);
        await written;
        if (pieces.isClosed) break;
        written = pieces.write(buffer.subarray(0, count));
        position += count;
      }
      await written;
      // After an abort the connection may still hold the buffers.
      if (!pieces.isClosed && spareBuffers.length < spareBuffersMax) spareBuffers.push(...buffers);
    } else {
      let given = 0;
      for await (const chunk of lease.handle.stream(start, end)) {
        if (pieces.isClosed) break;
        await pieces.write(chunk);
        given += chunk.length;
      }
      if (!pieces.isClosed && given !== end - start + 1)
        throw new Error(`a blob gave ${given} of ${end - start + 1} bytes`);
    }
    return pieces.end();
  } finally {
    pieces.end();
    lease.release();
  }
}

/** Writes one piece after the other to a connection that may close at any moment. */
class PieceWriter {
  /** The connection has closed, or failed. */
  isClosed: boolean;
  private readonly target: Writable;
  private readonly options: SendOptions;
  private wake: () => void = () => {};

  constructor(target: Writable, options: SendOptions) {
    this.target = target;
    this.options = options;
    this.isClosed = target.destroyed;
    target.once('close', this.onClose);
  }

  /** Resolves when the piece was taken, or will not be. */
  write(piece: Uint8Array): Promise<void> {
    const { onSent, stall } = this.options;
    return new Promise((resolve) => {
      const timer = stall && setTimeout(stall.end, stall.ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.isClosed) this.wake();
      else {
        this.target.write(piece, (error) => {
          if (error) this.isClosed = true;
          else onSent(piece.length);
          this.wake();
        });
      }
    });
  }

  /** Answers whether every piece was taken. */
  end(): boolean {
    this.target.off('close', this.onClose);
    return !this.isClosed;
  }

  private readonly onClose = (): void => {
    this.isClosed = true;
    this.wake();
  };
}
