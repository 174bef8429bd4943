/** Content that is hashed or sent in less than half a millisecond. */
const PORTION_BYTES = 32 * 1024;

/**
 * Yields content whose sender or reader has its turn for each portion: hashing and sending bytes takes the event loop, and one client may do it
 * on hundreds of connections at once.
 */
export async function* inTurns<T extends Uint8Array>(
  content: AsyncIterable<T>,
  takeTurn: () => Promise<void>,
): AsyncGenerator<T, void, undefined> {
  let untaken = 0;
  for await (const bytes of content) {
    untaken += bytes.byteLength;
    if (untaken >= PORTION_BYTES) {
      await takeTurn();
      untaken = 0;
    }
    yield bytes;
  }
}

/** Whether content of a known length is less than a portion. */
export function isPortion(bytes: number | null): boolean {
  return bytes !== null && bytes < PORTION_BYTES;
}
