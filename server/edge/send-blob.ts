import type { Writable } from 'node:stream';
import type { EdgeReply } from './edge-exchange.ts';

const chunkBytes = 128 * 1024;
/** Buffers of finished transfers, for the next ones. */
const spareBuffers: Buffer[] = [];
const spareBuffersMax = 32;

/**
 * Writes a part of a blob to a connection no faster than it is taken, holding two chunks at most, and releases the lease. Answers
 * the bytes handed over; fewer than asked for when the connection closed. Rejects when the blob cannot be read.
 * @param stall ends a transfer whose client does not take one chunk within `ms`; without it the connection's own timer has to
 */
export async function sendBlob(
  blob: NonNullable<EdgeReply['blob']>,
  target: Writable,
  stall?: { readonly ms: number; readonly end: () => void },
): Promise<number> {
  const { lease, start, end } = blob;
  let isClosed = target.destroyed;
  let wake: (() => void) | null = null;
  const onClose = () => {
    isClosed = true;
    wake?.();
  };
  target.once('close', onClose);
  const write = (chunk: Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      const timer = stall && setTimeout(stall.end, stall.ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (isClosed) wake();
      else target.write(chunk, wake);
    });
  let sent = 0;
  try {
    if (lease.handle.isLocal) {
      const buffers = [spareBuffers.pop(), spareBuffers.pop()].map(
        (spare) => spare ?? Buffer.allocUnsafeSlow(chunkBytes),
      );
      let turn = 0;
      let written: Promise<void> = Promise.resolve();
      for (let position = start; position <= end && !isClosed; turn ^= 1) {
        const buffer = buffers[turn] ?? Buffer.allocUnsafeSlow(chunkBytes);
        const count = await lease.handle.read(buffer, 0, Math.min(chunkBytes, end + 1 - position), position);
        if (count === 0) throw new Error(`a blob ends at ${position}, before ${end + 1}`);
        await written;
        if (isClosed) break;
        written = write(buffer.subarray(0, count));
        position += count;
        sent += count;
      }
      await written;
      // After an abort the connection may still hold the buffers.
      if (!isClosed && spareBuffers.length < spareBuffersMax) spareBuffers.push(...buffers);
    } else {
      for await (const chunk of lease.handle.stream(start, end)) {
        if (isClosed) break;
        await write(chunk);
        sent += chunk.length;
      }
      if (!isClosed && sent !== end - start + 1)
        throw new Error(`a blob gave ${sent} of ${end - start + 1} bytes`);
    }
    return sent;
  } finally {
    target.off('close', onClose);
    lease.release();
  }
}
