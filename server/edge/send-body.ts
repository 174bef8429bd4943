import type { EdgeReply } from './edge-exchange.ts';
import type { ByteRange } from './fields/byte-range.ts';
import { lostContent } from './lost-content.ts';
import { LARGEST_PIECE_BYTES, type Transfer } from './memory/transfer-memory.ts';
import type { BlobHandle } from './ports.ts';

/**
 * A long body in memory is sent in pieces of this size: a client that disconnects is not counted for more
 * than it accepted.
 */
export const PIECE_BYTES = LARGEST_PIECE_BYTES;
/** Buffers of finished transfers, for reuse. */
const SPARE_BUFFERS: Buffer[] = [];
const SPARE_BUFFERS_MAX = 32;

/** What a body is written to: a connection, a response of node's HTTP server, or a stream of HTTP/2. */
export interface PieceTarget {
  readonly destroyed: boolean;
  write(piece: Uint8Array, taken: (error?: Error | null) => void): unknown;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

export interface SendOptions {
  /** Limits what the response may hold. */
  readonly transfer: Transfer;
  /** Called for each piece once all of it was accepted. */
  readonly onSent: (bytes: number) => void;
  /**
   * Ends a transfer whose client does not accept one piece within `ms`; without it the connection's own timer
   * must.
   */
  readonly stall?: { readonly ms: number; readonly end: () => void };
}

/**
 * Writes bytes to a connection no faster than they are accepted. Returns whether all of them were: the
 * connection may have closed.
 */
export async function sendBytes(body: Buffer, target: PieceTarget, options: SendOptions): Promise<boolean> {
  const pieces = new PieceWriter(target, options);
  for (let at = 0; at < body.length && !pieces.isClosed; at += PIECE_BYTES) {
    await pieces.write(body.subarray(at, at + PIECE_BYTES));
  }
  return pieces.end();
}

/**
 * Like `sendBytes`, for a part of a blob, holding what its transfer allows; releases the lease. Rejects when
 * the blob cannot be read.
 */
export async function sendBlob(
  { lease, start, end }: NonNullable<EdgeReply['blob']>,
  target: PieceTarget,
  options: SendOptions,
): Promise<boolean> {
  const pieces = new PieceWriter(target, options);
  try {
    if (lease.handle.isLocal) await sendLocal(lease.handle, { start, end }, pieces, options.transfer);
    else await sendRemote(lease.handle, { start, end }, pieces, options.transfer);
    return pieces.end();
  } finally {
    pieces.end();
    lease.release();
  }
}

/**
 * For a client that accepts pieces immediately, the next one is read meanwhile; any other holds one piece, a
 * small one.
 */
async function sendLocal(
  handle: BlobHandle,
  { start, end }: ByteRange,
  pieces: PieceWriter,
  transfer: Transfer,
): Promise<void> {
  let written: Promise<void> = Promise.resolve();
  for (let position = start; position <= end && !pieces.isClosed; ) {
    if (!transfer.isQuick) await written;
    if (pieces.isClosed) break;
    const size = transfer.take();
    const buffer = bufferOf(size);
    const count = await handle.read(buffer, 0, Math.min(size, end + 1 - position), position);
    if (count === 0) throw lostContent(`a blob ends at ${position}, before ${end + 1}`);
    await written;
    if (pieces.isClosed) break;
    written = pieces.write(buffer.subarray(0, count)).then(() => {
      // After an abort the connection may still hold the buffer.
      if (pieces.isClosed) return;
      transfer.give(size);
      if (size === LARGEST_PIECE_BYTES && SPARE_BUFFERS.length < SPARE_BUFFERS_MAX)
        SPARE_BUFFERS.push(buffer);
    });
    position += count;
  }
  await written;
}

async function sendRemote(
  handle: BlobHandle,
  { start, end }: ByteRange,
  pieces: PieceWriter,
  transfer: Transfer,
): Promise<void> {
  let given = 0;
  // How much the stream buffers is its own choice; a piece is close enough.
  transfer.take();
  for await (const chunk of handle.stream(start, end)) {
    if (pieces.isClosed) break;
    await pieces.write(chunk);
    given += chunk.length;
  }
  if (!pieces.isClosed && given !== end - start + 1)
    throw lostContent(`a blob returned ${given} of ${end - start + 1} bytes`);
}

function bufferOf(bytes: number): Buffer {
  const spare = bytes === LARGEST_PIECE_BYTES ? SPARE_BUFFERS.pop() : undefined;
  return spare ?? Buffer.allocUnsafeSlow(bytes);
}

/** Writes one piece after the other to a connection that may close at any moment. */
class PieceWriter {
  /** The connection has closed, or failed. */
  isClosed: boolean;
  private readonly target: PieceTarget;
  private readonly options: SendOptions;
  private wake: () => void = () => {};

  constructor(target: PieceTarget, options: SendOptions) {
    this.target = target;
    this.options = options;
    this.isClosed = target.destroyed;
    target.once('close', this.onClose);
  }

  /** Resolves when the piece was accepted, or will not be. */
  write(piece: Uint8Array): Promise<void> {
    const { onSent, stall, transfer } = this.options;
    const offeredAt = performance.now();
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
          // What broke off has already been settled.
          else if (!this.isClosed) {
            transfer.moved(performance.now() - offeredAt);
            onSent(piece.length);
          }
          this.wake();
        });
      }
    });
  }

  /** Returns whether every piece was accepted. */
  end(): boolean {
    this.target.off('close', this.onClose);
    return !this.isClosed;
  }

  private readonly onClose = (): void => {
    this.isClosed = true;
    this.wake();
  };
}
