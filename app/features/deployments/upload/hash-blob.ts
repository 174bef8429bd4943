import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** Larger content is hashed in portions, so that a film is never held in memory as a whole. */
const WHOLE_BYTES_MAX = 16 * 1024 * 1024;
const PORTION_BYTES = 4 * 1024 * 1024;

/**
 * Returns the SHA-256 of a blob in hexadecimal; `onBytes` is called for each portion. Uses the browser's own
 * digest if it exists (secure addresses only) and the content is small; browsers hash only whole buffers.
 * @throws the signal's reason when aborted; NotReadableError when the file was changed or removed
 */
export async function hashBlob(
  blob: Blob,
  onBytes: (bytes: number) => void,
  signal?: AbortSignal,
): Promise<string> {
  signal?.throwIfAborted();
  const digest = globalThis.crypto.subtle?.digest.bind(globalThis.crypto.subtle);
  if (digest && blob.size <= WHOLE_BYTES_MAX) {
    const hash = await digest('SHA-256', await blob.arrayBuffer());
    onBytes(blob.size);
    return bytesToHex(new Uint8Array(hash));
  }
  const hash = sha256.create();
  for (let start = 0; start < blob.size; start += PORTION_BYTES) {
    signal?.throwIfAborted();
    const portion = new Uint8Array(await blob.slice(start, start + PORTION_BYTES).arrayBuffer());
    hash.update(portion);
    onBytes(portion.byteLength);
  }
  return bytesToHex(hash.digest());
}
